// SPDX-License-Identifier: Apache-2.0
// The versions, newest first, and how the draft differs from the one that is chosen.
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import type { Workflow } from "../../api/model";
import { problemOf } from "../../api/problem";
import { Empty, Section, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import table from "../../ui/Table.module.css";
import { Time } from "../../ui/Time";
import { TaskChanges } from "./TaskChanges";
import { useWhoIs } from "./useNames";
import { useVersions } from "./useWorkflow";

const route = getRouteApi("/shell/work/workflows/$workflowId");

export function VersionsTab({ workflow }: { workflow: Workflow }) {
    const t = useTranslations("workflows");
    const whoIs = useWhoIs();
    const search = route.useSearch();
    const query = useVersions(workflow.id, workflow.published_version);
    const versions = query.data ?? [];
    const chosen = versions.find(({ number }) => number === search.version) ?? versions[0];
    return (
        <>
            {query.isPending && <Skeleton />}
            {query.isError && (
                <ProblemNote
                    problem={problemOf(query.error)}
                    onRetry={() => void query.refetch()}
                />
            )}
            {query.isSuccess && versions.length === 0 && (
                <Empty title={t("noVersions")}>
                    <p>{t("noVersionsHelp")}</p>
                </Empty>
            )}
            {versions.length > 0 && (
                <table className={table.table} aria-label={t("tab_versions")}>
                    <thead>
                        <tr>
                            <th scope="col">{t("version")}</th>
                            <th scope="col">{t("publishedWho")}</th>
                            <th scope="col">{t("publishedWhen")}</th>
                            <th scope="col" className={table.number}>
                                {t("tab_tasks")}
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        {versions.map((version) => (
                            <tr key={version.number}>
                                <td>
                                    <Link
                                        from="/workflows/$workflowId"
                                        to="."
                                        search={{ tab: "versions", version: version.number }}
                                        aria-current={
                                            version.number === chosen?.number ? "true" : undefined
                                        }
                                    >
                                        {t("versionNumber", { number: version.number })}
                                    </Link>
                                </td>
                                <td data-label={t("publishedWho")}>
                                    {whoIs(version.published_by)}
                                </td>
                                <td data-label={t("publishedWhen")}>
                                    <Time at={version.published_at} as="moment" />
                                </td>
                                <td data-label={t("tab_tasks")} className={table.number}>
                                    {version.tasks.length}
                                </td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            )}
            {chosen && (
                <Section title={t("since", { number: chosen.number })}>
                    <TaskChanges
                        before={chosen.tasks}
                        after={workflow.tasks}
                        same={t("tasksSame", { number: chosen.number })}
                    />
                </Section>
            )}
        </>
    );
}
