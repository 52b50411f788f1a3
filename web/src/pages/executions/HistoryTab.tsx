// SPDX-License-Identifier: Apache-2.0
// The tasks in time, as bars with their lengths: made to be printed as well, as the report of the execution.
import { Link } from "@tanstack/react-router";
import { useFormatter, useTranslations } from "use-intl";
import type { ExecutionTask, WorkflowExecution } from "../../api/model";
import { historyOf } from "../../store/executionState";
import { useNow } from "../../ui/now";
import { Skeleton } from "../../ui/Page";
import table from "../../ui/Table.module.css";
import { useZone } from "../../ui/Time";
import { useDuration } from "../../ui/useDuration";
import styles from "./History.module.css";
import { taskSigns } from "./taskSigns";

export interface HistoryTabProps {
    execution: WorkflowExecution;
    tasks: readonly ExecutionTask[] | undefined;
}

const percent = (part: number) => `${part * 100}%`;

export function HistoryTab({ execution, tasks }: HistoryTabProps) {
    const t = useTranslations("executions");
    const format = useFormatter();
    const timeZone = useZone();
    const duration = useDuration();
    const now = useNow();
    if (!tasks) {
        return <Skeleton />;
    }
    const { from, to, bars } = historyOf(execution, tasks, Math.max(now, Date.now()));
    const clock = (at: number) => format.dateTime(new Date(at), { timeStyle: "medium", timeZone });
    return (
        <section className={styles.history} aria-label={t("tab_history")}>
            <p className={styles.axis}>
                <span>{clock(from)}</span>
                <span>{t("inAll", { time: duration(to - from) })}</span>
                <span>{execution.finished_at === null ? t("now") : clock(to)}</span>
            </p>
            <ol className={styles.rows}>
                {tasks.map((task) => {
                    const bar = bars.get(task.key);
                    const { mark, tone } = taskSigns[task.status];
                    return (
                        <li key={task.key} className={styles.row}>
                            <p className={styles.words}>
                                <Link
                                    from="/executions/$executionId"
                                    to="."
                                    search={{ tab: "graph", task: task.key }}
                                >
                                    <bdi>{task.title}</bdi>
                                </Link>
                                <span className={table.state} data-tone={tone}>
                                    <span aria-hidden="true">{mark}</span>{" "}
                                    {t(`task_${task.status}`)}
                                </span>
                                <span className={styles.length}>
                                    {bar ? duration(bar.milliseconds) : t("notBegun")}
                                </span>
                            </p>
                            <div aria-hidden="true" className={styles.track}>
                                {bar && (
                                    <span
                                        className={styles.bar}
                                        data-tone={tone}
                                        style={{
                                            insetInlineStart: percent(bar.start),
                                            width: percent(bar.length),
                                        }}
                                    />
                                )}
                            </div>
                            {(task.result || task.error) && (
                                <p className={styles.result}>
                                    <bdi>{task.result || task.error}</bdi>
                                </p>
                            )}
                        </li>
                    );
                })}
            </ol>
        </section>
    );
}
