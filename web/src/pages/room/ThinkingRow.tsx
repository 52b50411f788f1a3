// SPDX-License-Identifier: Apache-2.0
// What the agent thought, folded to a line that says for how long.
import { Brain } from "lucide-react";
import { useTranslations } from "use-intl";
import type { RunRow } from "../../store/runRows";
import { AgentFrame } from "./AgentFrame";
import styles from "./AgentRow.module.css";
import { Fold } from "./Fold";
import { useDuration } from "./useDuration";
import { useRunItem } from "./useRunItem";

export function ThinkingRow({ row }: { row: RunRow & { kind: "live" | "thinking" } }) {
    const t = useTranslations("agent");
    const { item } = useRunItem(row.run, row.key, "thinking");
    const duration = useDuration(item?.durationMs, item?.isOpen ? item.since : undefined);
    if (!item) {
        return null;
    }
    let text = duration ? t("thoughtFor", { duration }) : t("thought");
    if (item.isOpen) {
        text = duration ? t("thinkingFor", { duration }) : t("thinking");
    }
    return (
        <AgentFrame isContinued={row.isContinued}>
            <div data-thinking={item.isOpen ? "open" : "done"}>
                <Fold
                    id={row.key}
                    line={
                        <>
                            <Brain size={16} strokeWidth={1.75} aria-hidden="true" />
                            <span>{text}</span>
                        </>
                    }
                >
                    <p className={styles.thought}>{item.text}</p>
                </Fold>
            </div>
        </AgentFrame>
    );
}
