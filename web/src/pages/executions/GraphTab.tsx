// SPDX-License-Identifier: Apache-2.0
// The tasks of an execution: a list with all there is to know of them, and a drawing of what waits for what.
import { getRouteApi } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import type { ExecutionTask } from "../../api/model";
import { Skeleton } from "../../ui/Page";
import { DrawingPlace } from "../tasks/DrawingPlace";
import styles from "./Executions.module.css";
import { TaskList } from "./TaskList";
import { taskSigns } from "./taskSigns";

const route = getRouteApi("/shell/work/executions/$executionId");

export function GraphTab({ tasks }: { tasks: readonly ExecutionTask[] | undefined }) {
    const t = useTranslations("executions");
    const { task: selected } = route.useSearch();
    const navigate = route.useNavigate();
    if (!tasks) {
        return <Skeleton />;
    }
    const select = (task: string) =>
        void navigate({
            search: (held) => ({ ...held, task: held.task === task ? undefined : task }),
            replace: true,
        });
    return (
        <div className={styles.split}>
            <TaskList label={t("tab_graph")} tasks={tasks} selected={selected} onSelect={select} />
            <DrawingPlace
                tasks={tasks.map((task) => ({ ...task, ...taskSigns[task.status] }))}
                selected={selected}
                active={tasks.find(({ status }) => status === "in_progress")?.key}
                onSelect={select}
            />
        </div>
    );
}
