// SPDX-License-Identifier: Apache-2.0
// Changes of tasks that are not saved yet: kept in the browser, over other pages and a reload, until saved or discarded.
import { useState } from "react";
import type { Workflow } from "../../api/model";
import { recall, remember } from "../../store/memory";
import { beginEdit, type TaskEdit } from "../../store/taskEdit";
import { useSession } from "../shell/SessionContext";

function isEdit(value: unknown): value is TaskEdit {
    const edit = value as Partial<TaskEdit> | null;
    return (
        Number.isInteger(edit?.revision) && Array.isArray(edit?.base) && Array.isArray(edit.tasks)
    );
}

function read(key: string): TaskEdit | undefined {
    try {
        const value: unknown = JSON.parse(recall(key) ?? "null");
        return isEdit(value) ? value : undefined;
    } catch {
        // Of another time of this page: nothing that could be shown.
        return undefined;
    }
}

export function useTaskEdit(workflow: Workflow) {
    const { me } = useSession();
    const key = `convene.tasks.${me.user.id}.${workflow.id}`;
    const [edit, setEdit] = useState(() => read(key));
    function put(next: TaskEdit | undefined): void {
        remember(key, next ? JSON.stringify(next) : "");
        setEdit(next);
    }
    return { edit, put, begin: () => put(beginEdit(workflow)) };
}
