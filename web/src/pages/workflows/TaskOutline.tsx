// SPDX-License-Identifier: Apache-2.0
// The tasks of a draft as a list: each opens to what the agent reads, may call, and is answered when it is tried.
import { ChevronRight } from "lucide-react";
import { useId } from "react";
import { useTranslations } from "use-intl";
import type { TaskTemplate } from "../../api/model";
import styles from "../tasks/TaskRows.module.css";

interface TaskRowProps {
    task: TaskTemplate;
    isOpen: boolean;
    onToggle: () => void;
}

function TaskRow({ task, isOpen, onToggle }: TaskRowProps) {
    const t = useTranslations("workflows");
    const id = useId();
    const before = task.depends_on ?? [];
    const tools = task.tools ?? [];
    const mocks = Object.entries(task.mocks ?? {});
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
                    <span className={styles.small}>
                        <code>{task.key}</code>
                        {before.length > 0 && ` · ${t("after", { keys: before.join(", ") })}`}
                    </span>
                </span>
            </button>
            <div id={id} hidden={!isOpen} className={styles.body}>
                {isOpen && (
                    <>
                        <p className={styles.text}>
                            <bdi>{task.instructions || t("noInstructions")}</bdi>
                        </p>
                        <dl className={styles.facts}>
                            <dt>{t("field_depends_on")}</dt>
                            <dd>{before.join(", ") || t("nothingBefore")}</dd>
                            <dt>{t("field_tools")}</dt>
                            <dd>{tools.join(", ") || t("noTools")}</dd>
                            {mocks.map(([tool, mock]) => (
                                <div key={tool}>
                                    <dt>{t("mockOf", { tool })}</dt>
                                    <dd>
                                        <bdi>
                                            {typeof mock === "string" ? mock : JSON.stringify(mock)}
                                        </bdi>
                                    </dd>
                                </div>
                            ))}
                        </dl>
                    </>
                )}
            </div>
        </li>
    );
}

export interface TaskOutlineProps {
    tasks: readonly TaskTemplate[];
    selected: string | undefined;
    onSelect: (key: string) => void;
}

export function TaskOutline({ tasks, selected, onSelect }: TaskOutlineProps) {
    const t = useTranslations("workflows");
    return (
        <ol className={styles.rows} aria-label={t("tab_tasks")}>
            {tasks.map((task) => (
                <TaskRow
                    key={task.key}
                    task={task}
                    isOpen={task.key === selected}
                    onToggle={() => onSelect(task.key)}
                />
            ))}
        </ol>
    );
}
