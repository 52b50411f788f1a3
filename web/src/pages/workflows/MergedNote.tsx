// SPDX-License-Identifier: Apache-2.0
// What was put together: what the other's changes brought, and where both changed the same and one has to choose.
import { useState } from "react";
import { useTranslations } from "use-intl";
import {
    type Conflict,
    type EditedTask,
    type Merged,
    type TaskField,
    withoutTask,
} from "../../store/taskEdit";
import { Button } from "../../ui/Button";
import styles from "./TaskEditor.module.css";

export interface MergedNoteProps {
    merged: Merged;
    tasks: readonly EditedTask[];
    onOpen: (id: string) => void;
    onTasks: (tasks: EditedTask[]) => void;
}

function useFieldName(): (field: TaskField) => string {
    const t = useTranslations("workflows");
    return (field) =>
        t(
            field === "dependsOn"
                ? "field_depends_on"
                : field === "key"
                  ? "taskKey"
                  : (`field_${field}` as const),
        );
}

export function MergedNote({ merged, tasks, onOpen, onTasks }: MergedNoteProps) {
    const t = useTranslations("workflows");
    const nameOf = useFieldName();
    const [decided, setDecided] = useState<readonly Conflict[]>([]);
    const keyOf = (id: string) => tasks.find((task) => task.id === id)?.key ?? "";

    function textOf(task: EditedTask, field: TaskField): string {
        if (field === "dependsOn") {
            return task.dependsOn.map(keyOf).join(", ");
        }
        if (field === "mocks") {
            return Object.entries(task.mocks)
                .map(([tool, mock]) => `${tool}: ${mock}`)
                .join("\n");
        }
        return task[field];
    }

    function take({ id, field, theirs }: Conflict): void {
        setDecided([...decided, { id, field }]);
        if (field === "removed" || field === "back") {
            onTasks(withoutTask(tasks, id));
        } else if (theirs) {
            onTasks(
                tasks.map((task) => (task.id === id ? { ...task, [field]: theirs[field] } : task)),
            );
        }
        onOpen(id);
    }

    const open = merged.conflicts.filter(
        ({ id, field }) =>
            tasks.some((task) => task.id === id) &&
            !decided.some((one) => one.id === id && one.field === field),
    );
    return (
        <div className={styles.merged} role="status">
            <p>{t("merged")}</p>
            {merged.taken.length > 0 && (
                <p>{t("mergedTaken", { titles: merged.taken.join(" · ") })}</p>
            )}
            {open.length > 0 && (
                <ul className={styles.conflicts}>
                    {open.map((conflict) => {
                        const { id, field, theirs } = conflict;
                        const task = tasks.find((each) => each.id === id);
                        const name = task?.title || task?.key || "";
                        const isWhole = field === "removed" || field === "back";
                        return (
                            <li key={`${id} ${field}`}>
                                <span className={styles.theirs}>
                                    {isWhole
                                        ? t(field === "removed" ? "theyRemoved" : "theyChanged", {
                                              name,
                                          })
                                        : t("bothChanged", {
                                              name,
                                              field: nameOf(field),
                                              theirs: theirs
                                                  ? textOf(theirs, field) || t("nothing")
                                                  : "",
                                          })}
                                </span>
                                <Button onPress={() => take(conflict)}>
                                    {t(isWhole ? "removeIt" : "takeTheirs")}
                                </Button>
                            </li>
                        );
                    })}
                </ul>
            )}
        </div>
    );
}
