// SPDX-License-Identifier: Apache-2.0
// An execution: one sentence of what it is at, what can be done about it, and its conversation, tasks, calls and history.
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import type { WorkflowExecution } from "../../api/model";
import { problemOf } from "../../api/problem";
import { stepOf } from "../../store/executionState";
import { Empty, Page, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { Tabs } from "../../ui/Tabs";
import { Time } from "../../ui/Time";
import { EXECUTION_TABS } from "../router";
import { usePageTitle } from "../shell/usePageTitle";
import { WorkFrame } from "../tasks/WorkFrame";
import { useWhoIs } from "../workflows/useNames";
import { ChatTab } from "./ChatTab";
import { ExecutionActions } from "./ExecutionActions";
import styles from "./Executions.module.css";
import { GraphTab } from "./GraphTab";
import { HistoryTab } from "./HistoryTab";
import { StateSentence } from "./StateSentence";
import { ToolsTab } from "./ToolsTab";
import { useExecution, useProgress } from "./useExecution";

const route = getRouteApi("/shell/work/executions/$executionId");

/** Of what, by whom, since when; and how far. */
function Facts({ execution, step }: { execution: WorkflowExecution; step: string }) {
    const t = useTranslations("executions");
    const whoIs = useWhoIs();
    return (
        <p className={styles.facts}>
            {step !== "" && <span>{step}</span>}
            <span>
                {execution.is_draft
                    ? t("draftTried")
                    : t("ofVersion", { number: execution.version })}
            </span>
            <span>
                {t("startedByWhom", { name: whoIs(execution.initiator) })}{" "}
                <Time at={execution.created_at} as="moment" />
            </span>
        </p>
    );
}

function OpenExecution({ execution }: { execution: WorkflowExecution }) {
    const t = useTranslations("executions");
    const { tab = "chat" } = route.useSearch();
    const { tasks, state } = useProgress(execution);
    usePageTitle(execution.name);
    const { step, of } = stepOf(tasks.data ?? []);
    const isRunning = execution.status === "running";
    return (
        <WorkFrame
            title={execution.name}
            above={
                <>
                    <Link to="/executions" search={{}}>
                        {t("title")}
                    </Link>
                    {" · "}
                    <Link
                        to="/workflows/$workflowId"
                        params={{ workflowId: execution.workflow_id }}
                        search={{}}
                    >
                        {t("itsWorkflow")}
                    </Link>
                </>
            }
            state={
                <div aria-live="polite">
                    <StateSentence state={state} />
                    <Facts
                        execution={execution}
                        step={isRunning && of > 0 ? t("stepOf", { step, of }) : ""}
                    />
                </div>
            }
            actions={
                <ExecutionActions execution={execution} state={state} isInChat={tab === "chat"} />
            }
            notes={
                tasks.isError && (
                    <ProblemNote
                        problem={problemOf(tasks.error)}
                        onRetry={() => void tasks.refetch()}
                    />
                )
            }
            tabs={
                <Tabs label={t("parts")}>
                    {EXECUTION_TABS.map((name) => (
                        <Link
                            key={name}
                            from="/executions/$executionId"
                            to="."
                            search={({ task }) => ({ tab: name, task })}
                            aria-current={tab === name ? "page" : undefined}
                        >
                            {t(`tab_${name}`)}
                        </Link>
                    ))}
                </Tabs>
            }
            fit={tab === "chat" ? "filled" : "scrolled"}
        >
            {tab === "chat" && <ChatTab execution={execution} />}
            {tab === "graph" && <GraphTab tasks={tasks.data} />}
            {tab === "tools" && <ToolsTab execution={execution} />}
            {tab === "history" && <HistoryTab execution={execution} tasks={tasks.data} />}
        </WorkFrame>
    );
}

export function ExecutionPage() {
    const t = useTranslations("executions");
    const { executionId } = route.useParams();
    const query = useExecution(executionId);
    if (query.data) {
        return <OpenExecution key={executionId} execution={query.data} />;
    }
    const problem = query.isError ? problemOf(query.error) : undefined;
    return (
        <Page title={t("title")}>
            {query.isPending && <Skeleton />}
            {problem?.status === 404 && (
                <Empty title={t("gone")}>
                    <p>{t("goneHelp")}</p>
                    <Link to="/executions" search={{}}>
                        {t("toAll")}
                    </Link>
                </Empty>
            )}
            {problem && problem.status !== 404 && (
                <ProblemNote problem={problem} onRetry={() => void query.refetch()} />
            )}
        </Page>
    );
}
