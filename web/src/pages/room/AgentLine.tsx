// SPDX-License-Identifier: Apache-2.0
// What the agent is at, on a line above the field. It is always there, so that nothing moves when that changes.
import { Bot } from "lucide-react";
import { useTranslations } from "use-intl";
import { ProblemNote } from "../../ui/ProblemNote";
import { Time } from "../../ui/Time";
import styles from "./AgentLine.module.css";
import { useOpenRoom } from "./RoomContext";
import { useActiveRun, useAgentView } from "./useAgentView";
import { useAnswerNotice } from "./useAnswerNotice";

const WAITS = [
    "waiting_for_approval",
    "waiting_for_input",
    "queued",
    "scheduled",
    "quarantined",
] as const;

export function AgentLine() {
    const t = useTranslations("agent");
    const { agentName, nameOfUser, ownId } = useOpenRoom();
    const view = useAgentView();
    const active = useActiveRun();
    useAnswerNotice();
    if (!view) {
        return null;
    }
    const waits = WAITS.find((status) => status === view.status);
    const by = active?.run?.started_by ?? "";
    const step = view.watched.at(-1)?.step ?? "";
    let text = waits ? t(waits, { name: agentName }) : "";
    if (active) {
        text = active.isStopping ? t("stopping") : t("answering", { name: agentName });
    }
    return (
        <>
            {view.problem && (
                <div className={styles.problem}>
                    <ProblemNote problem={view.problem} />
                </div>
            )}
            <p
                className={styles.line}
                data-testid="agent"
                data-status={active ? "running" : view.status}
            >
                {text !== "" && <Bot size={16} strokeWidth={1.75} aria-hidden="true" />}
                {text}
                {active && step !== "" && <span>{step}</span>}
                {active?.run && (
                    <span className={styles.since}>
                        {t.rich("since", {
                            time: () => <Time at={active.run?.started_at ?? ""} as="clock" />,
                        })}
                        {by !== "" && by !== ownId && ` · ${t("by", { name: nameOfUser(by) })}`}
                    </span>
                )}
            </p>
        </>
    );
}
