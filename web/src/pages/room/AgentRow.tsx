// SPDX-License-Identifier: Apache-2.0
// A line of a run: what is being said, what was thought, what was called, and how it ended.
import { CircleStop, RefreshCw, TriangleAlert } from "lucide-react";
import { useTranslations } from "use-intl";
import type { RunRow } from "../../store/runRows";
import { AgentFrame } from "./AgentFrame";
import styles from "./AgentRow.module.css";
import { CallRow } from "./CallRow";
import { StreamedText } from "./StreamedText";
import { ThinkingRow } from "./ThinkingRow";
import { useRunItem } from "./useRunItem";

const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

const REASONS = [
    "MODEL_UNAVAILABLE",
    "MODEL_OVERLOADED",
    "MODEL_REFUSED",
    "ANSWER_CUT_OFF",
    "TIMED_OUT",
    "TOOL_LIMIT",
] as const;

function LiveRow({ row }: { row: RunRow & { kind: "live" | "thinking" } }) {
    const { item } = useRunItem(row.run, row.key, "text");
    return (
        <AgentFrame isContinued={row.isContinued}>
            <div data-live="" aria-busy={item?.isOpen ?? false}>
                <StreamedText text={item?.text ?? ""} isOpen={item?.isOpen ?? false} />
            </div>
        </AgentFrame>
    );
}

function EndedRow({ how }: { how: (RunRow & { kind: "ended" })["how"] }) {
    const t = useTranslations("agent");
    if (typeof how === "string") {
        return (
            <p className={styles.line} data-ended="stopped">
                <CircleStop {...icon} />
                {t(how)}
            </p>
        );
    }
    const reason = REASONS.find((code) => code === how.code);
    return (
        <p className={`${styles.line} ${styles.failed}`} data-ended="failed">
            <TriangleAlert {...icon} />
            <span>
                {t(reason ?? "failed")} {how.code !== "" && <code>{how.code}</code>}
            </span>
        </p>
    );
}

export default function AgentRow({ row }: { row: RunRow }) {
    const t = useTranslations("agent");
    switch (row.kind) {
        case "live":
            return <LiveRow row={row} />;
        case "thinking":
            return <ThinkingRow row={row} />;
        case "call":
            return <CallRow row={row} />;
        case "takeover":
            return (
                <p className={styles.line} data-takeover="">
                    <RefreshCw {...icon} />
                    {t("takeover")}
                </p>
            );
        case "ended":
            return <EndedRow how={row.how} />;
    }
}
