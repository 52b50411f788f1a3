// SPDX-License-Identifier: Apache-2.0
// The tasks of an execution below each other: state, result, what they wait for; each opens to the rest.
import { ChevronRight } from "lucide-react";
import { useId } from "react";
import { useTranslations } from "use-intl";
import type { ExecutionTask } from "../../api/model";
import table from "../../ui/Table.module.css";
import { Time } from "../../ui/Time";
import { useDuration } from "../../ui/useDuration";
import styles from "../tasks/TaskRows.module.css";
import { taskSigns } from "./taskSigns";

interface TaskItemProps {
    task: ExecutionTask;
    titleOf: (key: string) => string;
    isOpen: boolean;
    onToggle: () => void;
}

/** "depends on `x`" is how the server says it: here it is told by the title. */
function useWhy(): (task: ExecutionTask, titleOf: (key: string) => string) => string {
    const t = useTranslations("executions");
    return (task, titleOf) => {
        const [, key] = /^depends on `([^`]+)`$/.exec(task.error) ?? [];
        if (task.status === "skipped" && key !== undefined) {
            return t("skippedFor", { title: titleOf(key) });
        }
        if (task.status === "skipped" && task.error === "cancelled") {
            return t("skippedByEnd");
        }
        const kind = task.error_kind === null ? "" : t(`error_${task.error_kind}`);
        return [kind, task.error].filter((part) => part !== "").join(": ");
    };
}

function TaskItem({ task, titleOf, isOpen, onToggle }: TaskItemProps) {
    const t = useTranslations("executions");
    const id = useId();
    const duration = useDuration();
    const whyOf = useWhy();
    const { mark, tone } = taskSigns[task.status];
    const before = task.depends_on.map(titleOf).join(" · ");
    const why = whyOf(task, titleOf);
    return (
        <li className={styles.row} data-selected={isOpen ? "" : undefined}>
            <button
                type="button"
                className={styles.head}
                aria-expanded={isOpen}
                aria-controls={id}
                onClick={onToggle}
            >
                <ChevronRight
                    size={16}
                    strokeWidth={1.75}
                    aria-hidden="true"
                    className={styles.fold}
                />
                <span className={styles.words}>
                    <bdi className={styles.title}>{task.title}</bdi>
                    {before !== "" && (
                        <span className={styles.small}>{t("waitsFor", { titles: before })}</span>
                    )}
                    {task.result !== "" && (
                        <bdi className={styles.small} data-result="">
                            {task.result}
                        </bdi>
                    )}
                    {why !== "" && (
                        <bdi className={`${styles.small} ${tone === "bad" ? styles.bad : ""}`}>
                            {why}
                        </bdi>
                    )}
                </span>
                <span className={`${table.state} ${styles.state}`} data-tone={tone}>
                    <span aria-hidden="true">{mark}</span> {t(`task_${task.status}`)}
                </span>
            </button>
            <div id={id} hidden={!isOpen} className={styles.body}>
                {isOpen && (
                    <>
                        <p className={styles.text}>
                            <bdi>{task.instructions || t("noInstructions")}</bdi>
                        </p>
                        <dl className={styles.facts}>
                            <div>
                                <dt>{t("key")}</dt>
                                <dd>
                                    <code>{task.key}</code>
                                </dd>
                            </div>
                            <div>
                                <dt>{t("mayCall")}</dt>
                                <dd>{task.tools.join(", ") || t("noTools")}</dd>
                            </div>
                            {task.started_at !== null && (
                                <div>
                                    <dt>{t("began")}</dt>
                                    <dd>
                                        <Time at={task.started_at} as="moment" />
                                    </dd>
                                </div>
                            )}
                            {task.started_at !== null && task.ended_at !== null && (
                                <div>
                                    <dt>{t("took")}</dt>
                                    <dd>
                                        {duration(
                                            Date.parse(task.ended_at) - Date.parse(task.started_at),
                                        )}
                                    </dd>
                                </div>
                            )}
                        </dl>
                    </>
                )}
            </div>
        </li>
    );
}

export interface TaskListProps {
    label: string;
    tasks: readonly ExecutionTask[];
    selected: string | undefined;
    onSelect: (key: string) => void;
}

export function TaskList({ label, tasks, selected, onSelect }: TaskListProps) {
    const titles = new Map(tasks.map((task) => [task.key, task.title]));
    return (
        <ol className={styles.rows} aria-label={label}>
            {tasks.map((task) => (
                <TaskItem
                    key={task.key}
                    task={task}
                    titleOf={(key) => titles.get(key) ?? key}
                    isOpen={task.key === selected}
                    onToggle={() => onSelect(task.key)}
                />
            ))}
        </ol>
    );
}
