// SPDX-License-Identifier: Apache-2.0
// What is allowed is seen: nothing hides in it, and nothing turns it round.
import { describe, expect, it } from "vitest";
import { exactJson, withoutTurns } from "../src/store/exactText";

describe("exact text", () => {
    it("SpellsOutWhatCanNotBeSeen", () => {
        const value = { to: "ann\u202eneb@\u200bexample.com", "\u00a0": "\u{e0041}\ud800" };
        expect(exactJson(value)).toBe(
            '{\n  "to": "ann\\u202eneb@\\u200bexample.com",\n  "\\u00a0": "\\udb40\\udc41\\ud800"\n}',
        );
    });

    it("StaysTheSameValue", () => {
        const value = { a: "x\u2066y\ufeff\u{e0041}", b: ["日本語 👍", "\n\t"] };
        expect(JSON.parse(exactJson(value))).toEqual(value);
        expect(exactJson({ b: "日本語 👍" })).toContain("日本語 👍");
    });

    it("TakesTheTurnsOutOfATitle", () => {
        expect(withoutTurns("Pay \u202e001\u202c to \u200fben")).toBe("Pay 001 to ben");
    });
});
