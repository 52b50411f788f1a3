// SPDX-License-Identifier: Apache-2.0
// What is different between two lists of tasks: added, removed, and changed field by field.
import type { TaskTemplate } from "../api/model";

export const DIFF_FIELDS = ["title", "instructions", "depends_on", "tools", "mocks"] as const;

export type DiffField = (typeof DIFF_FIELDS)[number];

export interface FieldChange {
    field: DiffField;
    before: string;
    after: string;
}

export interface TaskChange {
    key: string;
    title: string;
    kind: "added" | "removed" | "changed";
    /** Of a changed task. */
    fields: FieldChange[];
}

function textOf(task: TaskTemplate, field: DiffField): string {
    const value = task[field];
    if (Array.isArray(value)) {
        return value.join(", ");
    }
    if (typeof value === "object") {
        const mocks = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
        return mocks
            .map(
                ([tool, mock]) =>
                    `${tool}: ${typeof mock === "string" ? mock : JSON.stringify(mock)}`,
            )
            .join("\n");
    }
    return value ?? "";
}

/** By their keys: a task under another key is another task. In the order of the newer list. */
export function diffTasks(
    before: readonly TaskTemplate[],
    after: readonly TaskTemplate[],
): TaskChange[] {
    const known = new Map(before.map((task) => [task.key, task]));
    const kept = new Set(after.map((task) => task.key));
    const changes = after.flatMap((task): TaskChange[] => {
        const { key, title } = task;
        const old = known.get(key);
        if (!old) {
            return [{ key, title, kind: "added", fields: [] }];
        }
        const fields = DIFF_FIELDS.flatMap((field) => {
            const change = { field, before: textOf(old, field), after: textOf(task, field) };
            return change.before === change.after ? [] : [change];
        });
        return fields.length === 0 ? [] : [{ key, title, kind: "changed", fields }];
    });
    const removed = before
        .filter((task) => !kept.has(task.key))
        .map(({ key, title }): TaskChange => ({ key, title, kind: "removed", fields: [] }));
    return [...changes, ...removed];
}

/** Whether the tasks that both have stand in another order. */
export function isReordered(
    before: readonly TaskTemplate[],
    after: readonly TaskTemplate[],
): boolean {
    const common = (tasks: readonly TaskTemplate[], others: readonly TaskTemplate[]) => {
        const keys = new Set(others.map((task) => task.key));
        return tasks.flatMap((task) => (keys.has(task.key) ? [task.key] : [])).join("\n");
    };
    return common(before, after) !== common(after, before);
}
