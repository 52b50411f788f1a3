// SPDX-License-Identifier: Apache-2.0
// Executions: what runs and waits first, and for whom; then what has ended, newest first. It looks again by itself.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import type { Approval, WorkflowExecution } from "../../api/model";
import { problemOf } from "../../api/problem";
import { fetchExecutions } from "../../api/workflows";
import { Button } from "../../ui/Button";
import { livePolling, untilNextLook } from "../../ui/livePolling";
import { Empty, Page, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { Segments } from "../../ui/Segments";
import { Select } from "../../ui/Select";
import table from "../../ui/Table.module.css";
import { openApprovalsQuery } from "../approvals/useApprovals";
import { useSteadyOrder } from "../rooms/useSteadyOrder";
import { EXECUTION_STATES, type ExecutionsSearch } from "../router";
import { usePageTitle } from "../shell/usePageTitle";
import { useWorkflows } from "../workflows/useWorkflow";
import { ExecutionRow } from "./ExecutionRow";
import styles from "./Executions.module.css";

const route = getRouteApi("/shell/work/executions");

/** Whoever loaded many pages reads what has ended: that is asked for again less often. */
const SLOWER = 5;

function useLists(search: ExecutionsSearch) {
    const mayRun = search.status === undefined || search.status === "running";
    const running = useQuery({
        queryKey: ["executions", "running", search.workflow],
        queryFn: () =>
            fetchExecutions({ status: "running", workflow: search.workflow }, undefined, 200),
        enabled: mayRun,
        ...livePolling,
    });
    const ended = useInfiniteQuery({
        queryKey: ["executions", "list", search.status, search.workflow],
        queryFn: ({ pageParam }) => fetchExecutions(search, pageParam),
        initialPageParam: undefined as string | undefined,
        getNextPageParam: (page) => page.next,
        enabled: search.status !== "running",
        ...livePolling,
        refetchInterval: ({ state }) =>
            untilNextLook() * ((state.data?.pages.length ?? 0) > 1 ? SLOWER : 1),
    });
    return { running, ended, mayRun };
}

function byRoom(approvals: readonly Approval[]): ReadonlyMap<string, Approval[]> {
    const rooms = new Map<string, Approval[]>();
    for (const approval of approvals) {
        rooms.set(approval.room_id, [...(rooms.get(approval.room_id) ?? []), approval]);
    }
    return rooms;
}

export function ExecutionsPage() {
    const t = useTranslations("executions");
    const search = route.useSearch();
    const navigate = route.useNavigate();
    const { workflows } = useWorkflows();
    const { running, ended, mayRun } = useLists(search);
    const approvals = useQuery({
        ...openApprovalsQuery(),
        enabled: mayRun,
        ...livePolling,
    });
    usePageTitle(t("title"));

    const questions = byRoom(approvals.data?.approvals ?? []);
    const live = (mayRun ? (running.data?.items ?? []) : []).map((execution) => ({
        ...execution,
        isWaiting: questions.has(execution.id),
    }));
    const isLive = new Set(live.map(({ id }) => id));
    const rest: WorkflowExecution[] =
        search.status === "running"
            ? []
            : (ended.data?.pages ?? [])
                  .flatMap((page) => page.items)
                  .filter(({ id, status }) => !isLive.has(id) && status !== "running");
    const ordered = [
        ...live.filter(({ isWaiting }) => isWaiting),
        ...live.filter(({ isWaiting }) => !isWaiting),
        ...rest,
    ];
    // Whoever points at a row finds it there: the order waits until the pointer is gone.
    const { steady, hold, release } = useSteadyOrder(ordered);
    const queries = [running, ended].filter(({ isEnabled }) => isEnabled);
    const failed = queries.find(({ isError }) => isError);
    const isPending = queries.some((query) => query.isPending);

    return (
        <Page title={t("title")}>
            <div className={styles.filters}>
                <Segments
                    label={t("show")}
                    value={search.status ?? "all"}
                    options={[
                        { value: "all", label: t("all") },
                        ...EXECUTION_STATES.map((value) => ({ value, label: t(`only_${value}`) })),
                    ]}
                    onChange={(value) =>
                        void navigate({
                            search: (held) => ({
                                ...held,
                                status: value === "all" ? undefined : value,
                            }),
                            replace: true,
                        })
                    }
                />
                <Select
                    label={t("workflow")}
                    value={search.workflow ?? ""}
                    options={[
                        { value: "", label: t("anyWorkflow") },
                        ...workflows.map(({ id, name }) => ({ value: id, label: name })),
                    ]}
                    onChange={(value) =>
                        void navigate({
                            search: (held) => ({ ...held, workflow: value || undefined }),
                            replace: true,
                        })
                    }
                />
            </div>
            {failed && (
                <ProblemNote
                    problem={problemOf(failed.error)}
                    onRetry={() => void failed.refetch()}
                />
            )}
            {isPending && !failed && <Skeleton />}
            {!isPending && !failed && steady.length === 0 && (
                <Empty title={t(search.status || search.workflow ? "noneLikeThis" : "none")}>
                    <p>
                        {t.rich("noneHelp", {
                            link: (words) => <Link to="/workflows">{words}</Link>,
                        })}
                    </p>
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
                            <th scope="col">{t("state")}</th>
                            <th scope="col">{t("step")}</th>
                            <th scope="col">{t("startedBy")}</th>
                            <th scope="col">{t("started")}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {steady.map((execution, at) => (
                            <ExecutionRow
                                key={execution.id}
                                execution={execution}
                                at={at}
                                questions={questions.get(execution.id) ?? []}
                            />
                        ))}
                    </tbody>
                </table>
            )}
            {ended.isEnabled && ended.hasNextPage && (
                <Button
                    look="quiet"
                    onPress={() => void ended.fetchNextPage()}
                    isDisabled={ended.isFetchingNextPage}
                >
                    {t("older")}
                </Button>
            )}
        </Page>
    );
}
