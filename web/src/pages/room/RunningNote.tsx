// SPDX-License-Identifier: Apache-2.0
// A message could not start a run, as another one goes on: whose, since when, and what can be done about it.
import { useTranslations } from "use-intl";
import type { RunInProgress } from "../../api/agent";
import { Button } from "../../ui/Button";
import { Time } from "../../ui/Time";
import { useOpenRoom } from "./RoomContext";
import { useActiveRun, useAgentView } from "./useAgentView";
import { useStop } from "./useStop";

export function RunningNote({ problem }: { problem: RunInProgress }) {
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
            <span>
                {t.rich(isOn || !run ? "runningSince" : "wasRunning", {
                    name,
                    time: () => <Time at={problem.startedAt} as="clock" />,
                })}
            </span>
            {isOn && (
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
            )}
        </>
    );
}
