// SPDX-License-Identifier: Apache-2.0
// A workflow: what is published and what has changed since, the way to run it, its tasks, its versions, its design.
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import type { Workflow } from "../../api/model";
import { problemOf } from "../../api/problem";
import { Empty, Page, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { Tabs } from "../../ui/Tabs";
import { Time } from "../../ui/Time";
import { useAction } from "../../ui/useAction";
import { WORKFLOW_TABS } from "../router";
import { usePageTitle } from "../shell/usePageTitle";
import { WorkFrame } from "../tasks/WorkFrame";
import { DesignTab } from "./DesignTab";
import { RunActions, RunRefusal } from "./RunActions";
import { StatusMark, useFailure } from "./StatusMark";
import { TasksTab } from "./TasksTab";
import { useWhoIs } from "./useNames";
import { useVersions, useWorkflow } from "./useWorkflow";
import { VersionsTab } from "./VersionsTab";
import { WorkflowMenu } from "./WorkflowMenu";
import styles from "./Workflows.module.css";

const route = getRouteApi("/shell/work/workflows/$workflowId");

/** Published version, who, when; and what the draft is at. */
function WorkflowState({ workflow }: { workflow: Workflow }) {
    const t = useTranslations("workflows");
    const whoIs = useWhoIs();
    const failureOf = useFailure();
    const versions = useVersions(workflow.id, workflow.published_version);
    const newest = versions.data?.[0];
    return (
        <p className={styles.state}>
            <StatusMark status={workflow.status} />
            {workflow.status === "failed" && <span>{failureOf(workflow.error)}</span>}
            {newest && (
                <span>
                    {t("publishedBy", { number: newest.number, name: whoIs(newest.published_by) })}{" "}
                    <Time at={newest.published_at} as="moment" />
                </span>
            )}
            {workflow.published_version === 0 && (
                <span>{t("madeByWhom", { name: whoIs(workflow.created_by) })}</span>
            )}
        </p>
    );
}

function OpenWorkflow({ workflow }: { workflow: Workflow }) {
    const t = useTranslations("workflows");
    const { tab = "tasks" } = route.useSearch();
    const running = useAction();
    usePageTitle(workflow.name);
    return (
        <WorkFrame
            title={workflow.name}
            above={<Link to="/workflows">{t("title")}</Link>}
            state={<WorkflowState workflow={workflow} />}
            actions={
                <>
                    <RunActions workflow={workflow} action={running} />
                    <WorkflowMenu workflow={workflow} />
                </>
            }
            notes={
                <>
                    {running.problem && (
                        <RunRefusal workflow={workflow} problem={running.problem} />
                    )}
                    {workflow.description !== "" && (
                        <p className={styles.description}>
                            <bdi>{workflow.description}</bdi>
                        </p>
                    )}
                </>
            }
            tabs={
                <Tabs label={t("parts")}>
                    {WORKFLOW_TABS.map((name) => (
                        <Link
                            key={name}
                            from="/workflows/$workflowId"
                            to="."
                            search={{ tab: name }}
                            aria-current={tab === name ? "page" : undefined}
                        >
                            {t(`tab_${name}`)}
                        </Link>
                    ))}
                </Tabs>
            }
            fit={tab === "design" && workflow.room_id !== "" ? "filled" : "scrolled"}
        >
            {tab === "tasks" && <TasksTab workflow={workflow} />}
            {tab === "versions" && <VersionsTab workflow={workflow} />}
            {tab === "design" && <DesignTab workflow={workflow} />}
        </WorkFrame>
    );
}

export function WorkflowPage() {
    const t = useTranslations("workflows");
    const { workflowId } = route.useParams();
    const query = useWorkflow(workflowId);
    if (query.data) {
        return <OpenWorkflow key={workflowId} workflow={query.data} />;
    }
    const problem = query.isError ? problemOf(query.error) : undefined;
    return (
        <Page title={t("title")}>
            {query.isPending && <Skeleton />}
            {problem?.status === 404 && (
                <Empty title={t("gone")}>
                    <Link to="/workflows">{t("toAll")}</Link>
                </Empty>
            )}
            {problem && problem.status !== 404 && (
                <ProblemNote problem={problem} onRetry={() => void query.refetch()} />
            )}
        </Page>
    );
}
