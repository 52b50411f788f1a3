// SPDX-License-Identifier: Apache-2.0
// The tool calls that were decided, newest first: for which task, whether allowed, with which arguments.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useTranslations } from "use-intl";
import type { ToolInvocation, WorkflowExecution } from "../../api/model";
import { problemOf } from "../../api/problem";
import { fetchToolInvocations } from "../../api/workflows";
import { Button, IconButton } from "../../ui/Button";
import { copyText } from "../../ui/clipboard";
import { livePolling, settled } from "../../ui/livePolling";
import { Empty, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import table from "../../ui/Table.module.css";
import { Time } from "../../ui/Time";
import { showToast } from "../../ui/toast";
import styles from "./Executions.module.css";

const signs: Record<ToolInvocation["decision"], { mark: string; tone: string }> = {
    allowed: { mark: "●", tone: "ok" },
    mocked: { mark: "◐", tone: "quiet" },
    denied: { mark: "✕", tone: "bad" },
};

/** Reasons that have words of ours. */
const KNOWN = ["no_task_in_progress", "not_bound"] as const;

const SHOWN_OF_DIGEST = 12;

function Invocation({ call }: { call: ToolInvocation }) {
    const t = useTranslations("executions");
    const known = KNOWN.find((word) => word === call.reason);
    const { mark, tone } = signs[call.decision];
    return (
        <tr>
            <td>
                <code className={styles.tool}>{call.tool}</code>
            </td>
            <td data-label={t("task")}>{call.task === "" ? "–" : <code>{call.task}</code>}</td>
            <td data-label={t("decision")}>
                <span className={table.words}>
                    <span className={table.state} data-tone={tone}>
                        <span aria-hidden="true">{mark}</span> {t(`call_${call.decision}`)}
                    </span>
                    {call.reason !== "" && (
                        <span className={table.small}>{known ? t(known) : call.reason}</span>
                    )}
                </span>
            </td>
            <td data-label={t("arguments")}>
                <span className={styles.digest}>
                    <code title={call.arguments_digest}>
                        {call.arguments_digest.slice(0, SHOWN_OF_DIGEST)}
                    </code>
                    <IconButton
                        label={t("copyDigest", { tool: call.tool })}
                        size="small"
                        onPress={() =>
                            void copyText(call.arguments_digest).then(
                                (isCopied) => isCopied && showToast({ text: t("copied") }),
                            )
                        }
                    >
                        <Copy size={14} strokeWidth={1.75} />
                    </IconButton>
                </span>
            </td>
            <td data-label={t("when")}>
                <Time at={call.at} as="moment" />
            </td>
        </tr>
    );
}

export function ToolsTab({ execution }: { execution: WorkflowExecution }) {
    const t = useTranslations("executions");
    const query = useInfiniteQuery({
        queryKey: ["execution", execution.id, "tools"],
        queryFn: ({ pageParam }) => fetchToolInvocations(execution.id, pageParam),
        initialPageParam: undefined as string | undefined,
        getNextPageParam: (page) => page.next,
        ...(execution.status === "running" ? livePolling : settled),
    });
    const calls = query.data?.pages.flatMap((page) => page.items) ?? [];
    return (
        <>
            {query.isPending && <Skeleton />}
            {query.isError && (
                <ProblemNote
                    problem={problemOf(query.error)}
                    onRetry={() => void query.refetch()}
                />
            )}
            {query.isSuccess && calls.length === 0 && (
                <Empty title={t("noCalls")}>
                    <p>{t("noCallsHelp")}</p>
                </Empty>
            )}
            {calls.length > 0 && (
                <>
                    <p className={styles.help}>{t("digestHelp")}</p>
                    <table className={table.table} aria-label={t("tab_tools")}>
                        <thead>
                            <tr>
                                <th scope="col">{t("tool")}</th>
                                <th scope="col">{t("task")}</th>
                                <th scope="col">{t("decision")}</th>
                                <th scope="col">{t("arguments")}</th>
                                <th scope="col">{t("when")}</th>
                            </tr>
                        </thead>
                        <tbody>
                            {calls.map((call) => (
                                <Invocation key={call.number} call={call} />
                            ))}
                        </tbody>
                    </table>
                </>
            )}
            {query.hasNextPage && (
                <Button
                    look="quiet"
                    onPress={() => void query.fetchNextPage()}
                    isDisabled={query.isFetchingNextPage}
                >
                    {t("olderCalls")}
                </Button>
            )}
        </>
    );
}
