// SPDX-License-Identifier: Apache-2.0
// The tasks of the draft: a list and a drawing of what waits for what; whoever may changes them here.
import { getRouteApi } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { useTranslations } from "use-intl";
import type { TaskTemplate, Workflow } from "../../api/model";
import { Button } from "../../ui/Button";
import { Empty, Skeleton } from "../../ui/Page";
import { DrawingPlace } from "../tasks/DrawingPlace";
import { TaskEditor } from "./TaskEditor";
import { TaskOutline } from "./TaskOutline";
import { useMayMake } from "./useNames";
import { useTaskEdit } from "./useTaskEdit";
import styles from "./Workflows.module.css";

const route = getRouteApi("/shell/work/workflows/$workflowId");

export function TasksTab({ workflow }: { workflow: Workflow }) {
    const t = useTranslations("workflows");
    const { task: selected } = route.useSearch();
    const navigate = route.useNavigate();
    const mayMake = useMayMake();
    const { edit, put, begin } = useTaskEdit(workflow);
    const isGenerating = workflow.status === "generating";

    const select = (task: string) =>
        void navigate({
            search: (held) => ({ ...held, task: held.task === task ? undefined : task }),
            replace: true,
        });

    if (edit && mayMake) {
        return <TaskEditor workflow={workflow} edit={edit} onEdit={put} />;
    }
    if (workflow.tasks.length === 0) {
        return (
            <Empty title={t(isGenerating ? "generatingTitle" : "noTasks")}>
                {isGenerating ? <Skeleton rows={3} /> : <p>{t("noTasksHelp")}</p>}
                {mayMake && !isGenerating && (
                    <Button look="filled" onPress={begin}>
                        {t("writeTasks")}
                    </Button>
                )}
            </Empty>
        );
    }
    return (
        <>
            <div className={styles.tools}>
                <p className={styles.help}>{t("taskCount", { count: workflow.tasks.length })}</p>
                {mayMake && !isGenerating && (
                    <Button onPress={begin}>
                        <Pencil size={16} strokeWidth={1.75} aria-hidden="true" />
                        {t("editTasks")}
                    </Button>
                )}
            </div>
            <div className={styles.split}>
                <TaskOutline tasks={workflow.tasks} selected={selected} onSelect={select} />
                <DrawingPlace
                    tasks={workflow.tasks.map((task: TaskTemplate) => ({
                        key: task.key,
                        title: task.title,
                        depends_on: task.depends_on ?? [],
                    }))}
                    selected={selected}
                    onSelect={select}
                />
            </div>
        </>
    );
}
