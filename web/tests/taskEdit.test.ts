// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { Problem } from "../src/api/problem";
import {
    beginEdit,
    faultsOf,
    hasChanges,
    mergeEdit,
    movedTask,
    type TaskEdit,
    templatesOf,
    toolNames,
    withNewTask,
    withoutTask,
} from "../src/store/taskEdit";

const FIRST = {
    key: "first",
    title: "First",
    instructions: "Do it.",
    depends_on: [],
    tools: ["mail", "phone"],
    mocks: { mail: { sent: true } },
};
const SECOND = {
    key: "second",
    title: "Second",
    instructions: "",
    depends_on: ["first"],
    tools: [],
    mocks: {},
};
const READ = { revision: 3, tasks: [FIRST, SECOND] };

/** An edit in which a task was changed by hand. */
function edited(key: string, part: object): TaskEdit {
    const edit = beginEdit(READ);
    const tasks = edit.tasks.map((task) => (task.key === key ? { ...task, ...part } : task));
    return { ...edit, tasks };
}

const titles = (edit: TaskEdit) => templatesOf(edit).map(({ title }) => title);

describe("task edit", () => {
    it("SendsWhatItReadAsItWas", () => {
        expect(templatesOf(beginEdit(READ))).toEqual(READ.tasks);
        expect(hasChanges(beginEdit(READ))).toBe(false);
    });

    it("FollowsAKeyToWhatDependsOnIt", () => {
        const [first, second] = templatesOf(edited("first", { key: "begin" }));
        expect([first?.key, second?.depends_on]).toEqual(["begin", ["begin"]]);
    });

    it("ForgetsWhatDependedOnATaskThatIsGone", () => {
        const edit = beginEdit(READ);
        const tasks = withoutTask(edit.tasks, edit.tasks[0]?.id ?? "");
        expect(templatesOf({ ...edit, tasks })).toEqual([{ ...SECOND, depends_on: [] }]);
    });

    it("GivesNewTasksKeysThatAreFree", () => {
        const edit = beginEdit({ revision: 1, tasks: [{ key: "task-2", title: "Two" }] });
        const tasks = withNewTask(withNewTask(edit.tasks));
        expect(new Set(tasks.map(({ key }) => key)).size).toBe(3);
        expect(new Set(tasks.map(({ id }) => id)).size).toBe(3);
        // Also after one of them was called otherwise.
        const renamed = tasks.map((task) => (task.key === "task-3" ? { ...task, key: "x" } : task));
        expect(new Set(withNewTask(renamed).map(({ id }) => id)).size).toBe(4);
    });

    it("MovesATaskUpAndDownWithinTheList", () => {
        const { tasks } = beginEdit(READ);
        const id = tasks[1]?.id ?? "";
        expect(movedTask(tasks, id, -1).map(({ key }) => key)).toEqual(["second", "first"]);
        expect(movedTask(tasks, id, 1)).toEqual(tasks);
    });

    it("ReadsToolsHoweverTheyAreSeparated", () => {
        expect(toolNames(" mail,phone\n fax、post ")).toEqual(["mail", "phone", "fax", "post"]);
    });

    it("KeepsMocksOfNamedToolsOnly", () => {
        const [first] = templatesOf(edited("first", { tools: "phone", mocks: { phone: "rings" } }));
        expect(first?.mocks).toEqual({ phone: "rings" });
    });
});

describe("merging an edit", () => {
    it("TakesWhatOnlyTheOtherChanged", () => {
        const other = { revision: 4, tasks: [{ ...FIRST, instructions: "Else." }, SECOND] };
        const { edit, conflicts, taken } = mergeEdit(edited("first", { title: "Mine" }), other);
        expect(templatesOf(edit)).toEqual([
            { ...FIRST, title: "Mine", instructions: "Else." },
            SECOND,
        ]);
        expect(conflicts).toEqual([]);
        expect(taken).toEqual(["First"]);
        expect(edit.revision).toBe(4);
    });

    it("KeepsOnesOwnWhereBothChangedAndTellsTheOther", () => {
        const other = { revision: 4, tasks: [{ ...FIRST, title: "Theirs" }, SECOND] };
        const { edit, conflicts } = mergeEdit(edited("first", { title: "Mine" }), other);
        expect(titles(edit)).toEqual(["Mine", "Second"]);
        expect(conflicts.map(({ field, theirs }) => [field, theirs?.title])).toEqual([
            ["title", "Theirs"],
        ]);
    });

    it("SaysNothingWhereBothDidTheSame", () => {
        const other = { revision: 4, tasks: [{ ...FIRST, title: "Same" }, SECOND] };
        const { conflicts, taken } = mergeEdit(edited("first", { title: "Same" }), other);
        expect([conflicts, taken]).toEqual([[], []]);
    });

    it("KeepsATaskThatWasChangedHereAndRemovedThere", () => {
        const { edit, conflicts } = mergeEdit(edited("second", { title: "Mine" }), {
            revision: 4,
            tasks: [FIRST],
        });
        expect(titles(edit)).toEqual(["First", "Mine"]);
        expect(conflicts.map(({ field }) => field)).toEqual(["removed"]);
    });

    it("BringsBackATaskThatWasRemovedHereAndChangedThere", () => {
        const begun = beginEdit(READ);
        const mine = { ...begun, tasks: withoutTask(begun.tasks, begun.tasks[1]?.id ?? "") };
        const other = { revision: 4, tasks: [FIRST, { ...SECOND, title: "Theirs" }] };
        const { edit, conflicts } = mergeEdit(mine, other);
        expect(titles(edit)).toEqual(["First", "Theirs"]);
        expect(conflicts.map(({ field }) => field)).toEqual(["back"]);
    });

    it("RemovesWhatTheOtherRemovedAndNobodyChanged", () => {
        const { edit } = mergeEdit(edited("first", { title: "Mine" }), {
            revision: 4,
            tasks: [FIRST],
        });
        expect(titles(edit)).toEqual(["Mine"]);
    });

    it("HasTheTasksOfBothInTheOrderOfWhoMovedThem", () => {
        const mine = { ...beginEdit(READ), tasks: withNewTask(beginEdit(READ).tasks) };
        const third = { key: "third", title: "Third" };
        const { edit } = mergeEdit(mine, { revision: 4, tasks: [third, SECOND, FIRST] });
        expect(titles(edit)).toEqual(["Third", "Second", "First", ""]);
    });
});

describe("faults", () => {
    it("AreFoundWhereTheyAreWritten", () => {
        const { tasks } = beginEdit(READ);
        const problem = new Problem({
            code: "VALIDATION_ERROR",
            status: 422,
            errors: [
                { field: "tasks[1].depends_on", reason: "not_allowed_here" },
                { field: "tasks[9].key", reason: "malformed" },
                { field: "name", reason: "empty" },
            ],
        });
        expect(faultsOf(problem, tasks)).toEqual([
            { id: tasks[1]?.id, field: "dependsOn", reason: "not_allowed_here" },
        ]);
    });
});
