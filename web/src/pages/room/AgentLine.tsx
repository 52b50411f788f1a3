// SPDX-License-Identifier: Apache-2.0
// What the agent is at, on a line above the field. It is always there, so that nothing moves when that changes.
import { Bot } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import { ProblemNote } from "../../ui/ProblemNote";
import { Time } from "../../ui/Time";
import styles from "./AgentLine.module.css";
import { useOpenRoom } from "./RoomContext";
import { useActiveRun, useAgentView } from "./useAgentView";
import { useAnswerNotice } from "./useAnswerNotice";

/** Few agents go on by themselves. */
const Wakes = lazy(() => import("./Wakes"));

const WAITS = [
    "waiting_for_approval",
    "waiting_for_input",
    "queued",
    "scheduled",
    "quarantined",
] as const;

/** `mayDrive`: whether the person may ask the agent, and takes back what it is to do. */
export function AgentLine({ mayDrive }: { mayDrive: boolean }) {
    const t = useTranslations("agent");
    const { agent, agentName, nameOfUser, ownId } = useOpenRoom();
    const view = useAgentView();
    const active = useActiveRun();
    useAnswerNotice();
    // From then on it stays: what waits for its time does so behind a run and a question, too.
    const [wasScheduled, setWasScheduled] = useState(false);
    if (view?.status === "scheduled" && !wasScheduled) {
        setWasScheduled(true);
    }
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
            <Suspense>
                {agent && wasScheduled && <Wakes agent={agent} mayDrive={mayDrive} />}
            </Suspense>
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
