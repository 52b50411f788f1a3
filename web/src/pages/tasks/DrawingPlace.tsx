// SPDX-License-Identifier: Apache-2.0
// Where the drawing stands: beside the list, and on a phone below it, when somebody asks for it.
import { lazy, Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../ui/Button";
import { Skeleton } from "../../ui/Page";
import { useNarrow } from "../../ui/useNarrow";
import type { TaskDrawingProps } from "./TaskDrawing";

const TaskDrawing = lazy(() =>
    import("./TaskDrawing").then((module) => ({ default: module.TaskDrawing })),
);

export function DrawingPlace(props: Omit<TaskDrawingProps, "label">) {
    const t = useTranslations("tasks");
    const isNarrow = useNarrow();
    const [isWanted, setIsWanted] = useState(false);
    if (isNarrow && !isWanted) {
        return (
            <div>
                <Button onPress={() => setIsWanted(true)}>{t("draw")}</Button>
            </div>
        );
    }
    return (
        <Suspense fallback={<Skeleton rows={3} />}>
            <TaskDrawing {...props} label={t("drawing")} />
        </Suspense>
    );
}
