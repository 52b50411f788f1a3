// SPDX-License-Identifier: Apache-2.0
// For whom a decision is, and who made it.
import { describe, expect, it } from "vitest";
import { readDecider, userOfActor } from "../src/store/deciders";

describe("a decision", () => {
    it("SaysWhomItWaitsForAndWhoMadeIt", () => {
        expect(readDecider("ann")).toEqual({ user: "ann" });
        expect(readDecider("role:admin")).toEqual({ role: "admin" });
        expect(readDecider("role:king")).toEqual({ other: "role:king" });
        expect(userOfActor("user:ann")).toBe("ann");
        expect(userOfActor("token:1")).toBeUndefined();
    });
});
