// SPDX-License-Identifier: Apache-2.0
// One page of older messages for each approach to the top, whatever the page brings.
import { describe, expect, it } from "vitest";
import { Approach } from "../src/store/approach";

const far = { top: 5_000, rowsAbove: 90, isShort: false };
const near = { top: 200, rowsAbove: 3, isShort: false };

describe("approach", () => {
    it("AsksOnceForEachTimeTheReaderComesNear", () => {
        const approach = new Approach();
        expect(approach.moved(far)).toBe(false);
        expect(approach.moved(near)).toBe(true);
        expect(approach.moved(far)).toBe(false);
        expect(approach.moved(near)).toBe(true);
    });

    it("DoesNotAskAgainWhileThePlaceIsKept", () => {
        const approach = new Approach();
        expect(approach.moved(near)).toBe(true);
        expect(approach.moved(near)).toBe(false);
        expect(approach.moved({ ...near, top: 640, rowsAbove: 9 })).toBe(false);
    });

    it("AsksAgainWhenAPageBroughtNothingAndTheReaderGoesOn", () => {
        const approach = new Approach();
        expect(approach.moved(near)).toBe(true);
        expect(approach.moved({ ...near, top: 150, rowsAbove: 2 })).toBe(true);
    });

    it("FillsAScreenThatCannotBeScrolled", () => {
        const approach = new Approach();
        const short = { top: 0, rowsAbove: 0, isShort: true };
        expect(approach.moved(short)).toBe(true);
        expect(approach.moved(short)).toBe(true);
        expect(approach.moved(near)).toBe(true);
    });
});
