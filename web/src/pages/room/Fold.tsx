// SPDX-License-Identifier: Apache-2.0
// A line that opens to more, and is folded again from both of its ends and by its edge.
import { ChevronRight } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../ui/Button";
import { useReadable } from "../../ui/useReadable";
import styles from "./AgentRow.module.css";
import { useOpenRoom } from "./RoomContext";

export interface FoldProps {
    /** What is unfolded is remembered under it. */
    id: string;
    line: ReactNode;
    children: ReactNode;
}

export function Fold({ id, line, children }: FoldProps) {
    const t = useTranslations("agent");
    const { folds } = useOpenRoom();
    const isOpen = useReadable(folds.unfolded).has(id);
    const button = useRef<HTMLButtonElement>(null);
    function foldAgain(): void {
        folds.toggle(id);
        button.current?.focus();
    }
    return (
        <>
            <button
                ref={button}
                type="button"
                className={styles.fold}
                aria-expanded={isOpen}
                onClick={() => folds.toggle(id)}
            >
                <ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" />
                {line}
            </button>
            {isOpen && (
                <div className={styles.inside}>
                    {/* The same as the line above, for a pointer: keys have that one. */}
                    <button
                        type="button"
                        className={styles.edge}
                        tabIndex={-1}
                        aria-hidden="true"
                        title={t("fold")}
                        onClick={foldAgain}
                    />
                    {children}
                    <span className={styles.end}>
                        <Button look="quiet" onPress={foldAgain}>
                            {t("fold")}
                        </Button>
                    </span>
                </div>
            )}
        </>
    );
}
