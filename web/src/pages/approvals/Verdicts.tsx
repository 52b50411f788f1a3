// SPDX-License-Identifier: Apache-2.0
// The three ways to decide on an approval. A note goes back to the agent, which may ask anew.
import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { ApprovalVerdict } from "../../api/model";
import { Button, type ButtonProps } from "../../ui/Button";
import { TextArea } from "../../ui/TextArea";
import styles from "./ApprovalCard.module.css";
import type { Deciding } from "./useDecide";

interface VerdictButtonProps extends ButtonProps {
    verdict: ApprovalVerdict;
    deciding: Deciding;
}

/** Says that it was asked for until the server answers. Not disabled then: it would lose the focus. */
function VerdictButton({ verdict, deciding, children, ...props }: VerdictButtonProps) {
    const t = useTranslations("approvals");
    const isAsked = deciding.asked === verdict;
    return (
        <Button
            {...props}
            isDisabled={props.isDisabled || (deciding.asked !== undefined && !isAsked)}
        >
            {isAsked ? t("asked") : children}
        </Button>
    );
}

function ReturnNote({ deciding, onCancel }: { deciding: Deciding; onCancel: () => void }) {
    const t = useTranslations("approvals");
    const [note, setNote] = useState("");
    const [isMissing, setIsMissing] = useState(false);
    const field = useRef<HTMLTextAreaElement>(null);
    useEffect(() => field.current?.focus(), []);
    return (
        <form
            className={styles.note}
            onSubmit={(submit) => {
                submit.preventDefault();
                if (note.trim() === "") {
                    setIsMissing(true);
                    field.current?.focus();
                } else {
                    void deciding.decide("returned", note.trim());
                }
            }}
        >
            <TextArea
                rows={2}
                ref={field}
                label={t("note")}
                help={t("noteHelp")}
                error={isMissing ? t("noteMissing") : undefined}
                value={note}
                onChange={(text) => {
                    setNote(text);
                    setIsMissing(false);
                }}
                onKeyDown={(key) => {
                    if (key.key === "Escape") {
                        key.stopPropagation();
                        onCancel();
                    }
                }}
            />
            <div className={styles.verdicts}>
                <VerdictButton verdict="returned" deciding={deciding} look="filled" type="submit">
                    {t("return")}
                </VerdictButton>
                <Button onPress={onCancel} isDisabled={deciding.asked !== undefined}>
                    {t("cancel")}
                </Button>
            </div>
        </form>
    );
}

export function Verdicts({ deciding, look }: { deciding: Deciding; look: "filled" | "outlined" }) {
    const t = useTranslations("approvals");
    const [isReturning, setIsReturning] = useState(false);
    const opener = useRef<HTMLDivElement>(null);
    if (isReturning) {
        return (
            <ReturnNote
                deciding={deciding}
                onCancel={() => {
                    setIsReturning(false);
                    // Back to where the note was opened, once that is there again.
                    requestAnimationFrame(() =>
                        opener.current?.querySelectorAll("button")[1]?.focus(),
                    );
                }}
            />
        );
    }
    return (
        <div ref={opener} className={styles.verdicts}>
            <VerdictButton
                verdict="approved"
                deciding={deciding}
                look={look}
                data-decide="approve"
                onPress={() => void deciding.decide("approved")}
            >
                {t("approve")}
            </VerdictButton>
            <Button isDisabled={deciding.asked !== undefined} onPress={() => setIsReturning(true)}>
                {t("returnWithNote")}
            </Button>
            <VerdictButton
                verdict="rejected"
                deciding={deciding}
                look="bad"
                data-decide="reject"
                onPress={() => void deciding.decide("rejected")}
            >
                {t("reject")}
            </VerdictButton>
        </div>
    );
}
