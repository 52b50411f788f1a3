// SPDX-License-Identifier: Apache-2.0
// Changes the tasks of a draft. One is open at a time; what the server refuses is named at its field, and what somebody
// else changed meanwhile is put together with one's own changes before anything is saved.
import { useQueryClient } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, ChevronRight, Plus, Trash2 } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { Workflow } from "../../api/model";
import { changeWorkflow, fetchWorkflow } from "../../api/workflows";
import {
    type EditedTask,
    faultsOf,
    hasChanges,
    type Merged,
    mergeEdit,
    movedTask,
    type TaskEdit,
    type TaskFault,
    templatesOf,
    withNewTask,
    withoutTask,
} from "../../store/taskEdit";
import { Button, IconButton } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { ProblemNote } from "../../ui/ProblemNote";
import { showToast } from "../../ui/toast";
import { useAction } from "../../ui/useAction";
import rows from "../tasks/TaskRows.module.css";
import { MergedNote } from "./MergedNote";
import styles from "./TaskEditor.module.css";
import { TaskForm } from "./TaskForm";

interface EditedRowProps {
    task: EditedTask;
    tasks: readonly EditedTask[];
    at: number;
    isOpen: boolean;
    faults: readonly TaskFault[];
    onToggle: () => void;
    onTasks: (tasks: EditedTask[]) => void;
}

function EditedRow({ task, tasks, at, isOpen, faults, onToggle, onTasks }: EditedRowProps) {
    const t = useTranslations("workflows");
    const id = useId();
    const name = task.title || task.key;
    const small = { size: 16, strokeWidth: 1.75 } as const;
    return (
        <li className={rows.row} data-selected={isOpen ? "" : undefined}>
            <div className={rows.line}>
                <button
                    type="button"
                    className={rows.head}
                    aria-expanded={isOpen}
                    aria-controls={id}
                    onClick={onToggle}
                >
                    <ChevronRight {...small} aria-hidden="true" className={rows.fold} />
                    <span className={rows.words}>
                        <bdi className={rows.title}>{task.title || t("untitled")}</bdi>
                        <span className={rows.small}>
                            <code>{task.key}</code>
                            {faults.length > 0 && (
                                <span className={rows.bad}> · {t("hasFault")}</span>
                            )}
                        </span>
                    </span>
                </button>
                <IconButton
                    label={t("moveUp", { name })}
                    size="small"
                    isDisabled={at === 0}
                    onPress={() => onTasks(movedTask(tasks, task.id, -1))}
                >
                    <ArrowUp {...small} />
                </IconButton>
                <IconButton
                    label={t("moveDown", { name })}
                    size="small"
                    isDisabled={at === tasks.length - 1}
                    onPress={() => onTasks(movedTask(tasks, task.id, 1))}
                >
                    <ArrowDown {...small} />
                </IconButton>
                <IconButton
                    label={t("removeTask", { name })}
                    size="small"
                    onPress={() => onTasks(withoutTask(tasks, task.id))}
                >
                    <Trash2 {...small} />
                </IconButton>
            </div>
            <div id={id} hidden={!isOpen} className={rows.body}>
                {isOpen && (
                    <TaskForm
                        task={task}
                        tasks={tasks}
                        faults={faults}
                        onChange={(changed) =>
                            onTasks(tasks.map((each) => (each.id === task.id ? changed : each)))
                        }
                    />
                )}
            </div>
        </li>
    );
}

export interface TaskEditorProps {
    workflow: Workflow;
    edit: TaskEdit;
    onEdit: (edit: TaskEdit | undefined) => void;
}

/** Where the server refused something, its first field is open and has the focus. */
function useFaultFocus(faults: readonly TaskFault[]) {
    const place = useRef<HTMLDivElement>(null);
    useEffect(() => {
        if (faults.length > 0) {
            place.current
                ?.querySelector<HTMLElement>("[aria-invalid='true'], [data-fault] input")
                ?.focus();
        }
    }, [faults]);
    return place;
}

export function TaskEditor({ workflow, edit, onEdit }: TaskEditorProps) {
    const t = useTranslations("workflows");
    const queries = useQueryClient();
    const { isBusy, problem, run } = useAction();
    const [open, setOpen] = useState<string>();
    const [faults, setFaults] = useState<TaskFault[]>([]);
    const [merged, setMerged] = useState<Merged>();
    const [isDiscarding, setIsDiscarding] = useState(false);
    const place = useFaultFocus(faults);
    const isBehind = workflow.revision > edit.revision || problem?.code === "WORKFLOW_CHANGED";
    const isChanged = hasChanges(edit);

    useEffect(() => {
        const found = problem ? faultsOf(problem, edit.tasks) : [];
        setFaults(found);
        if (found[0]) {
            setOpen(found[0].id);
        }
        // Where the tasks were when the server looked at them: what is written afterwards is another matter.
    }, [problem]);

    async function save(): Promise<void> {
        const done = await run(async () => {
            const { id } = workflow;
            const tasks = templatesOf(edit);
            const saved = await changeWorkflow(id, { tasks, revision: edit.revision });
            queries.setQueryData(["workflow", id], saved);
            void queries.invalidateQueries({ queryKey: ["workflows"] });
        });
        if (done) {
            onEdit(undefined);
            showToast({ text: t("saved") });
        }
    }

    async function combine(): Promise<void> {
        await run(async () => {
            const latest = await fetchWorkflow(workflow.id);
            const both = mergeEdit(edit, latest);
            queries.setQueryData(["workflow", workflow.id], latest);
            setMerged(both);
            onEdit(both.edit);
        });
    }

    function change(tasks: EditedTask[]): void {
        onEdit({ ...edit, tasks });
    }

    function add(): void {
        const tasks = withNewTask(edit.tasks);
        setOpen(tasks.at(-1)?.id);
        change(tasks);
    }

    return (
        <div className={styles.editor} ref={place}>
            <ol className={rows.rows} aria-label={t("tab_tasks")}>
                {edit.tasks.map((task, at) => (
                    <EditedRow
                        key={task.id}
                        task={task}
                        tasks={edit.tasks}
                        at={at}
                        isOpen={task.id === open}
                        faults={faults.filter(({ id }) => id === task.id)}
                        onToggle={() => setOpen(task.id === open ? undefined : task.id)}
                        onTasks={change}
                    />
                ))}
            </ol>
            <div>
                <Button onPress={add}>
                    <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
                    {t("addTask")}
                </Button>
            </div>
            <div className={styles.foot}>
                {merged && !isBehind && (
                    <MergedNote
                        merged={merged}
                        tasks={edit.tasks}
                        onOpen={setOpen}
                        onTasks={change}
                    />
                )}
                {problem && <ProblemNote problem={problem} />}
                {isBehind && (
                    <div className={styles.behind} role="status">
                        <p>{t("behind")}</p>
                        <Button isDisabled={isBusy} onPress={() => void combine()}>
                            {t("combine")}
                        </Button>
                    </div>
                )}
                <div className={styles.actions}>
                    <p className={styles.kept}>{isChanged && t("kept")}</p>
                    <Button onPress={() => (isChanged ? setIsDiscarding(true) : onEdit(undefined))}>
                        {t(isChanged ? "discard" : "close")}
                    </Button>
                    <Button
                        look="filled"
                        isDisabled={isBusy || isBehind || !isChanged}
                        onPress={() => void save()}
                    >
                        {t("saveTasks")}
                    </Button>
                </div>
            </div>
            {isDiscarding && (
                <ConfirmDialog
                    title={t("discardTitle")}
                    deed={t("discard")}
                    onConfirm={async () => onEdit(undefined)}
                    onClose={() => setIsDiscarding(false)}
                >
                    {t("discardText")}
                </ConfirmDialog>
            )}
        </div>
    );
}
