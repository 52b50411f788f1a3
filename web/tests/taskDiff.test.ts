// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { diffTasks, isReordered } from "../src/store/taskDiff";

const one = { key: "one", title: "One", tools: ["mail"], mocks: { mail: "sent" } };
const two = { key: "two", title: "Two", depends_on: ["one"] };

describe("task diff", () => {
    it("IsEmptyForTheSame", () => {
        // What is left out is the same as what is empty.
        const whole = { ...two, instructions: "", tools: [], mocks: {} };
        expect(diffTasks([one, two], [one, whole])).toEqual([]);
    });

    it("TellsAddedAndRemoved", () => {
        const three = { key: "three", title: "Three" };
        expect(diffTasks([one, two], [one, three]).map(({ kind, key }) => [kind, key])).toEqual([
            ["added", "three"],
            ["removed", "two"],
        ]);
    });

    it("TellsFieldsAsTheyWereAndAre", () => {
        const changed = { ...one, title: "Uno", mocks: { mail: { ok: true } } };
        expect(diffTasks([one], [changed])[0]?.fields).toEqual([
            { field: "title", before: "One", after: "Uno" },
            { field: "mocks", before: "mail: sent", after: 'mail: {"ok":true}' },
        ]);
    });

    it("SeesAnotherOrderOfWhatBothHave", () => {
        expect(isReordered([one, two], [two, one])).toBe(true);
        expect(isReordered([one, two], [{ key: "new", title: "New" }, one, two])).toBe(false);
    });
});
