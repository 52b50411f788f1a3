// SPDX-License-Identifier: Apache-2.0
// The bounds of the jitter, and where in a timeline one stands.
import { describe, expect, it } from "vitest";
import { backoff } from "../src/live/backoff";
import { formatPosition, further, parsePosition } from "../src/live/position";

describe("backoff", () => {
    it("StaysBetweenItsFloorAndItsCeiling", () => {
        for (let attempt = 0; attempt < 100; attempt += 1) {
            expect(backoff(attempt, () => 0)).toBe(300);
            expect(backoff(attempt, () => 0.999_999)).toBeLessThanOrEqual(30_000);
        }
    });

    it("DoublesItsCeiling", () => {
        const ceilings = [0, 1, 2, 3, 20].map((attempt) => backoff(attempt, () => 1));
        expect(ceilings).toEqual([600, 1_200, 2_400, 4_800, 30_000]);
    });
});

describe("position", () => {
    it("ReadsAndWritesBothForms", () => {
        for (const text of ["0", "13", "2-13", "-1"]) {
            expect(formatPosition(parsePosition(text) ?? { epoch: 9, index: 9 })).toBe(text);
        }
        expect(parsePosition("x")).toBeUndefined();
    });

    it("NeverGoesBackWithinAnEpoch", () => {
        const held = { epoch: 0, index: 5 };
        expect(further(held, { epoch: 0, index: 4 })).toBe(held);
        expect(further(held, { epoch: 1, index: 0 })).toEqual({ epoch: 1, index: 0 });
    });
});
