// SPDX-License-Identifier: Apache-2.0
// The workflows of the organisation: what each is at, who made it, and the way to a new one for those who may.
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { Workflow } from "../../api/model";
import { problemOf } from "../../api/problem";
import { Button } from "../../ui/Button";
import { Empty, Page, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import table from "../../ui/Table.module.css";
import { Time } from "../../ui/Time";
import { useSteadyOrder } from "../rooms/useSteadyOrder";
import { usePageTitle } from "../shell/usePageTitle";
import { NewWorkflowDialog } from "./NewWorkflowDialog";
import { StatusMark, useFailure } from "./StatusMark";
import { useMayMake, useWhoIs } from "./useNames";
import { useWorkflows } from "./useWorkflow";
import styles from "./Workflows.module.css";

function WorkflowRow({ workflow }: { workflow: Workflow }) {
    const t = useTranslations("workflows");
    const whoIs = useWhoIs();
    const failureOf = useFailure();
    return (
        <tr>
            <td>
                <span className={table.words}>
                    <Link
                        to="/workflows/$workflowId"
                        params={{ workflowId: workflow.id }}
                        search={{}}
                        className={styles.named}
                    >
                        <bdi>{workflow.name}</bdi>
                    </Link>
                    <bdi className={`${table.small} ${styles.oneLine}`}>{workflow.description}</bdi>
                </span>
            </td>
            <td data-label={t("status")}>
                <span className={table.words}>
                    <StatusMark status={workflow.status} />
                    {workflow.status === "failed" && (
                        <span className={table.small}>{failureOf(workflow.error)}</span>
                    )}
                </span>
            </td>
            <td data-label={t("version")} className={table.number}>
                {workflow.published_version === 0 ? "–" : workflow.published_version}
            </td>
            <td data-label={t("madeBy")}>{whoIs(workflow.created_by)}</td>
            <td data-label={t("changed")}>
                <Time at={workflow.updated_at} as="distance" />
            </td>
        </tr>
    );
}

export function WorkflowsPage() {
    const t = useTranslations("workflows");
    const mayMake = useMayMake();
    const [isMaking, setIsMaking] = useState(false);
    const query = useWorkflows();
    const { steady, hold, release } = useSteadyOrder(query.workflows);
    usePageTitle(t("title"));
    return (
        <Page
            title={t("title")}
            actions={
                mayMake && (
                    <Button look="filled" onPress={() => setIsMaking(true)}>
                        <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
                        {t("new")}
                    </Button>
                )
            }
        >
            {query.isPending && <Skeleton />}
            {query.isError && (
                <ProblemNote
                    problem={problemOf(query.error)}
                    onRetry={() => void query.refetch()}
                />
            )}
            {query.isSuccess && steady.length === 0 && (
                <Empty title={t("empty")}>
                    <p>{t(mayMake ? "emptyHelp" : "emptyMember")}</p>
                </Empty>
            )}
            {steady.length > 0 && (
                <table
                    className={`${table.table} ${styles.list}`}
                    aria-label={t("title")}
                    onPointerEnter={hold}
                    onPointerLeave={release}
                    onFocus={hold}
                    onBlur={release}
                >
                    <thead>
                        <tr>
                            <th scope="col">{t("name")}</th>
                            <th scope="col">{t("status")}</th>
                            <th scope="col" className={table.number}>
                                {t("version")}
                            </th>
                            <th scope="col">{t("madeBy")}</th>
                            <th scope="col">{t("changed")}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {steady.map((workflow) => (
                            <WorkflowRow key={workflow.id} workflow={workflow} />
                        ))}
                    </tbody>
                </table>
            )}
            {query.hasNextPage && (
                <Button
                    look="quiet"
                    onPress={() => void query.fetchNextPage()}
                    isDisabled={query.isFetchingNextPage}
                >
                    {t("more")}
                </Button>
            )}
            {isMaking && <NewWorkflowDialog onClose={() => setIsMaking(false)} />}
        </Page>
    );
}
