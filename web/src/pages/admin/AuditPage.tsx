// SPDX-License-Identifier: Apache-2.0
// The audit trail, newest first: who did what to whom, when, from where.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { fetchAudit, fetchTokens, fetchUsers } from "../../api/calls";
import { problemOf } from "../../api/problem";
import { Button } from "../../ui/Button";
import { Empty, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import table from "../../ui/Table.module.css";
import { Time } from "../../ui/Time";
import { AdminFrame } from "./AdminFrame";

/** Ids in the trail by their names, as far as these are known. */
function useNames(): (id: string) => string {
    const users = useQuery({ queryKey: ["users"], queryFn: fetchUsers });
    const tokens = useQuery({ queryKey: ["tokens"], queryFn: fetchTokens });
    return (written) => {
        const id = written.replace(/^(user|token):/, "");
        return (
            users.data?.find((user) => user.id === id)?.display_name ??
            tokens.data?.find((token) => token.id === id)?.name ??
            written
        );
    };
}

export function AuditPage() {
    const t = useTranslations("admin");
    const nameOf = useNames();
    const trail = useInfiniteQuery({
        queryKey: ["audit"],
        queryFn: ({ pageParam }) => fetchAudit(pageParam),
        initialPageParam: undefined as number | undefined,
        getNextPageParam: (page) => page.next,
    });
    const entries = trail.data?.pages.flatMap((page) => page.entries) ?? [];
    return (
        <AdminFrame title={t("audit")}>
            {trail.isPending && <Skeleton />}
            {trail.isError && (
                <ProblemNote
                    problem={problemOf(trail.error)}
                    onRetry={() => void trail.refetch()}
                />
            )}
            {trail.isSuccess && entries.length === 0 && <Empty title={t("noAudit")} />}
            {entries.length > 0 && (
                <table className={table.table} aria-label={t("audit")}>
                    <thead>
                        <tr>
                            <th scope="col">{t("when")}</th>
                            <th scope="col">{t("who")}</th>
                            <th scope="col">{t("did")}</th>
                            <th scope="col">{t("target")}</th>
                            <th scope="col">{t("peer")}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {entries.map((entry) => (
                            <tr key={entry.sequence}>
                                <td data-label={t("when")}>
                                    <Time at={entry.at} as="moment" />
                                </td>
                                <td data-label={t("who")}>
                                    {entry.actor === "" ? "–" : nameOf(entry.actor)}
                                </td>
                                <td data-label={t("did")}>
                                    <code>{entry.action}</code>
                                </td>
                                <td data-label={t("target")}>{nameOf(entry.target) || "–"}</td>
                                <td data-label={t("peer")}>{entry.peer || "–"}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            )}
            {trail.hasNextPage && (
                <Button
                    look="quiet"
                    onPress={() => void trail.fetchNextPage()}
                    isDisabled={trail.isFetchingNextPage}
                >
                    {t("older")}
                </Button>
            )}
        </AdminFrame>
    );
}
