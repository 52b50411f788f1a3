// SPDX-License-Identifier: Apache-2.0
// What went wrong in one sentence, with its reference, and the way on where there is one.
import { TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import type { Problem } from "../api/problem";
import { Button } from "./Button";
import { copyText } from "./clipboard";
import styles from "./ProblemNote.module.css";

/** Whole seconds until it is worth trying again. */
function useCountdown(problem: Problem): number {
    const [left, setLeft] = useState(Math.ceil(problem.retryAfter ?? 0));
    useEffect(() => {
        setLeft(Math.ceil(problem.retryAfter ?? 0));
        const timer = setInterval(() => setLeft((seconds) => Math.max(0, seconds - 1)), 1000);
        return () => clearInterval(timer);
    }, [problem]);
    return left;
}

export function ProblemNote({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
    const t = useTranslations("problem");
    const left = useCountdown(problem);
    // What has no sentence of ours is said as the server, which then gave an id, said it.
    const isForeign = problem.sentence === "UNKNOWN" && problem.requestId !== "";
    const words = isForeign ? <span lang="en">{problem.message}</span> : undefined;
    const reference = t("reference", { code: problem.code, id: problem.requestId });
    return (
        <div role="alert" className={styles.note}>
            <TriangleAlert size={20} strokeWidth={1.75} aria-hidden="true" />
            <div className={styles.words}>
                <p>{words ?? t(problem.sentence)}</p>
                {problem.fields.map(({ field, reason }) => (
                    <p key={field} className={styles.small}>
                        <code>{field}</code> {reason}
                    </p>
                ))}
                {problem.requestId !== "" && (
                    <p className={styles.small}>
                        {reference}
                        <Button look="quiet" onPress={() => copyText(problem.requestId)}>
                            {t("copy")}
                        </Button>
                    </p>
                )}
            </div>
            {onRetry && (
                <Button onPress={onRetry} isDisabled={left > 0}>
                    {left > 0 ? t("retryIn", { seconds: left }) : t("retry")}
                </Button>
            )}
        </div>
    );
}
