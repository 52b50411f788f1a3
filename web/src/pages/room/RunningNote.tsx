// SPDX-License-Identifier: Apache-2.0
// A message could not start a run, as another one goes on: whose, since when, and what can be done about it.
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { RunInProgress } from "../../api/agent";
import { Button } from "../../ui/Button";
import { Time } from "../../ui/Time";
import styles from "./PendingRow.module.css";
import { useOpenRoom } from "./RoomContext";
import { useActiveRun, useAgentView } from "./useAgentView";
import { useStop } from "./useStop";

export interface RunningNoteProps {
    problem: RunInProgress;
    /** Offered once it is over: before that it would be refused again. */
    retry: ReactNode;
}

export function RunningNote({ problem, retry }: RunningNoteProps) {
    const t = useTranslations("agent");
    const { agent, agentName, nameOfUser, showEnd } = useOpenRoom();
    const view = useAgentView();
    const active = useActiveRun();
    const { isStopping, stop } = useStop();
    const run = view?.runs.find(({ id }) => id === problem.runId);
    const name = run?.started_by ? nameOfUser(run.started_by) : agentName;
    const isOn = active?.id === problem.runId;
    return (
        <>
            <span className={styles.why}>
                {t.rich(isOn || !run ? "runningSince" : "wasRunning", {
                    name,
                    time: () => <Time at={problem.startedAt} as="clock" />,
                })}
            </span>
            {isOn ? (
                <>
                    <Button
                        onPress={() => {
                            agent?.watch(problem.runId);
                            showEnd.current();
                        }}
                    >
                        {t("watch")}
                    </Button>
                    <Button isDisabled={isStopping} onPress={() => void stop()}>
                        {t(isStopping ? "stopping" : "stop")}
                    </Button>
                </>
            ) : (
                retry
            )}
        </>
    );
}
