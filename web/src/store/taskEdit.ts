// SPDX-License-Identifier: Apache-2.0
// The tasks of a draft while somebody changes them: as forms hold them, as the server takes them, and put together with
// what somebody else changed in the meantime.
import type { TaskTemplate } from "../api/model";
import type { Problem } from "../api/problem";

export interface EditedTask {
    /** Stays while the key changes: what depends on a task follows it to its new name. */
    id: string;
    key: string;
    title: string;
    instructions: string;
    /** Ids, not keys. */
    dependsOn: string[];
    /** As it is written: names with commas or spaces between them. */
    tools: string;
    /** What tools answer when the draft is tried; kept also for a tool that is not named just now. */
    mocks: Record<string, string>;
}

export const TASK_FIELDS = ["key", "title", "instructions", "dependsOn", "tools", "mocks"] as const;

export type TaskField = (typeof TASK_FIELDS)[number];

/** What is being changed, and of which revision it was read. */
export interface TaskEdit {
    revision: number;
    base: TaskTemplate[];
    tasks: EditedTask[];
}

interface Draft {
    revision: number;
    tasks: readonly TaskTemplate[];
}

const idOf = (key: string) => `was ${key}`;

export function toolNames(written: string): string[] {
    return written.split(/[\s,、，]+/).filter((name) => name !== "");
}

function mockText(mock: unknown): string {
    return typeof mock === "string" ? mock : JSON.stringify(mock);
}

export function editedOf(task: TaskTemplate): EditedTask {
    return {
        id: idOf(task.key),
        key: task.key,
        title: task.title,
        instructions: task.instructions ?? "",
        dependsOn: (task.depends_on ?? []).map(idOf),
        tools: (task.tools ?? []).join(", "),
        mocks: Object.fromEntries(
            Object.entries(task.mocks ?? {}).map(([tool, mock]) => [tool, mockText(mock)]),
        ),
    };
}

export function beginEdit(draft: Draft): TaskEdit {
    return {
        revision: draft.revision,
        base: [...draft.tasks],
        tasks: draft.tasks.map(editedOf),
    };
}

/** A task more at the end, under a key that is free. */
export function withNewTask(tasks: readonly EditedTask[]): EditedTask[] {
    const taken = new Set(tasks.flatMap((task) => [task.id, task.key, `new ${task.key}`]));
    let number = tasks.length + 1;
    while (taken.has(`task-${number}`) || taken.has(`new task-${number}`)) {
        number += 1;
    }
    const key = `task-${number}`;
    const task = {
        id: `new ${key}`,
        key,
        title: "",
        instructions: "",
        dependsOn: [],
        tools: "",
        mocks: {},
    };
    return [...tasks, task];
}

export function withoutTask(tasks: readonly EditedTask[], id: string): EditedTask[] {
    return tasks
        .filter((task) => task.id !== id)
        .map((task) => ({ ...task, dependsOn: task.dependsOn.filter((other) => other !== id) }));
}

export function movedTask(tasks: readonly EditedTask[], id: string, step: 1 | -1): EditedTask[] {
    const at = tasks.findIndex((task) => task.id === id);
    const other = tasks[at + step];
    const moved = tasks[at];
    if (!moved || !other) {
        return [...tasks];
    }
    const next = [...tasks];
    next[at] = other;
    next[at + step] = moved;
    return next;
}

/** The mocks of tools that a task names; one that was not touched stays what it was. */
function mocksOf(task: EditedTask, read: TaskTemplate | undefined): Record<string, unknown> {
    const named = toolNames(task.tools).filter((tool) => (task.mocks[tool] ?? "") !== "");
    return Object.fromEntries(
        named.map((tool) => {
            const before = read?.mocks?.[tool];
            const text = task.mocks[tool];
            return [tool, before !== undefined && mockText(before) === text ? before : text];
        }),
    );
}

/** As the server takes them. */
export function templatesOf({ base, tasks }: TaskEdit): TaskTemplate[] {
    const keys = new Map(tasks.map((task) => [task.id, task.key.trim()]));
    return tasks.map((task) => ({
        key: task.key.trim(),
        title: task.title.trim(),
        instructions: task.instructions,
        depends_on: task.dependsOn.flatMap((id) => keys.get(id) ?? []),
        tools: toolNames(task.tools),
        mocks: mocksOf(
            task,
            base.find((read) => idOf(read.key) === task.id),
        ),
    }));
}

/** A field as it is compared: order and spaces that mean nothing are left out. */
function valueOf(task: EditedTask, field: TaskField): string {
    switch (field) {
        case "dependsOn":
            return JSON.stringify([...task.dependsOn].sort());
        case "tools":
            return JSON.stringify(toolNames(task.tools));
        case "mocks":
            return JSON.stringify(
                toolNames(task.tools).map((tool) => [tool, task.mocks[tool] ?? ""]),
            );
        default:
            return task[field];
    }
}

function isSame(one: EditedTask, other: EditedTask): boolean {
    return TASK_FIELDS.every((field) => valueOf(one, field) === valueOf(other, field));
}

export function hasChanges({ base, tasks }: TaskEdit): boolean {
    return (
        base.length !== tasks.length ||
        base.some((read, at) => {
            const task = tasks[at];
            return (
                task === undefined || task.id !== idOf(read.key) || !isSame(editedOf(read), task)
            );
        })
    );
}

/** Both changed the same: the edit has one's own, and this is the other. */
export interface Conflict {
    id: string;
    /** `removed`: the other took the task away. `back`: one took it away, and the other changed it. */
    field: TaskField | "removed" | "back";
    theirs?: EditedTask;
}

export interface Merged {
    edit: TaskEdit;
    conflicts: Conflict[];
    /** Titles of tasks in which something of the other was taken over. */
    taken: string[];
}

const byId = (tasks: readonly EditedTask[]) => new Map(tasks.map((task) => [task.id, task]));

/** One's own changes on top of another revision. Nothing of either is lost: what contradicts is listed. */
export function mergeEdit(edit: TaskEdit, theirs: Draft): Merged {
    const base = byId(edit.base.map(editedOf));
    const mine = byId(edit.tasks);
    const other = byId(theirs.tasks.map(editedOf));
    const conflicts: Conflict[] = [];
    const taken: string[] = [];

    function mergeTask(own: EditedTask): EditedTask[] {
        const read = base.get(own.id);
        const their = other.get(own.id);
        if (!read) {
            return [own];
        }
        if (!their) {
            if (isSame(own, read)) {
                taken.push(own.title);
                return [];
            }
            conflicts.push({ id: own.id, field: "removed" });
            return [own];
        }
        let merged = own;
        for (const field of TASK_FIELDS) {
            const [was, is, theirValue] = [read, own, their].map((task) => valueOf(task, field));
            if (theirValue === was || theirValue === is) {
                continue;
            }
            if (is === was) {
                merged = { ...merged, [field]: their[field] };
                if (!taken.includes(their.title)) {
                    taken.push(their.title);
                }
            } else {
                conflicts.push({ id: own.id, field, theirs: their });
            }
        }
        return [merged];
    }

    const kept = edit.tasks.flatMap(mergeTask);
    const added = [...other.values()].filter((task) => {
        if (mine.has(task.id)) {
            return false;
        }
        const read = base.get(task.id);
        if (!read) {
            taken.push(task.title);
            return true;
        }
        if (isSame(read, task)) {
            return false;
        }
        conflicts.push({ id: task.id, field: "back" });
        return true;
    });
    const order = (tasks: Iterable<EditedTask>, among: ReadonlyMap<string, unknown>) =>
        [...tasks].flatMap(({ id }) => (among.has(id) ? [id] : [])).join("\n");
    // Whoever did not move anything gets the order of the other.
    const isOrderMine = order(edit.tasks, base) !== order(base.values(), mine);
    const all = byId([...kept, ...added]);
    const tasks = isOrderMine
        ? [...all.values()]
        : [
              ...[...other.keys()].flatMap((id) => all.get(id) ?? []),
              ...[...all.values()].filter(({ id }) => !other.has(id)),
          ];
    return {
        edit: { revision: theirs.revision, base: [...theirs.tasks], tasks },
        conflicts,
        taken,
    };
}

/** What the server refused, where it is written. */
export interface TaskFault {
    id: string;
    field: TaskField;
    reason: string;
}

const FIELD_NAMES: Record<string, TaskField> = {
    key: "key",
    title: "title",
    instructions: "instructions",
    depends_on: "dependsOn",
    tools: "tools",
    mocks: "mocks",
};

/** Faults of fields of tasks; what is left is none of a single task. */
export function faultsOf(problem: Problem, tasks: readonly EditedTask[]): TaskFault[] {
    return problem.fields.flatMap(({ field, reason }) => {
        const [, at, name] = /^tasks\[(\d+)\]\.(\w+)/.exec(field) ?? [];
        const task = tasks[Number(at)];
        const known = FIELD_NAMES[name ?? ""];
        return task && known ? [{ id: task.id, field: known, reason }] : [];
    });
}
