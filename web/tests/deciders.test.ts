// SPDX-License-Identifier: Apache-2.0
// Who is offered a decision: by name, by role, or by taking part.
import { describe, expect, it } from "vitest";
import type { Me, Participant, UserRole } from "../src/api/model";
import { mayDecide, readDecider, userOfActor } from "../src/store/deciders";

const me = (role: UserRole) => ({ user: { id: "ann", role } }) as Me;
const part = (role: Participant["role"], status: Participant["status"] = "active") =>
    ({ id: "ann", role, status }) as Participant;
const named = (...deciders: string[]) => ({ deciders });

describe("a decision", () => {
    it("IsForWhomItNamesAndNobodyElse", () => {
        expect(mayDecide(named("ann"), me("member"), null)).toBe(true);
        expect(mayDecide(named("ben", "ann"), me("member"), undefined)).toBe(true);
        expect(mayDecide(named("ben"), me("admin"), part("owner"))).toBe(false);
    });

    it("IsForARoleAndThoseAbove", () => {
        expect(mayDecide(named("role:operator"), me("member"), part("owner"))).toBe(false);
        expect(mayDecide(named("role:operator"), me("operator"), null)).toBe(true);
        expect(mayDecide(named("role:operator"), me("admin"), null)).toBe(true);
        expect(mayDecide(named("role:king"), me("admin"), null)).toBe(false);
    });

    it("IsForWhoeverTakesPartWhereNobodyIsNamed", () => {
        expect(mayDecide(named(), me("operator"), null)).toBe(true);
        expect(mayDecide(named(), me("member"), part("member"))).toBe(true);
        expect(mayDecide(named(), me("member"), part("observer"))).toBe(false);
        expect(mayDecide(named(), me("member"), part("member", "left"))).toBe(false);
        expect(mayDecide(named(), me("member"), null)).toBe(false);
    });

    it("IsNotOfferedBeforeOnesPartIsKnown", () => {
        expect(mayDecide(named(), me("member"), undefined)).toBeUndefined();
    });

    it("SaysWhomItWaitsForAndWhoMadeIt", () => {
        expect(readDecider("ann")).toEqual({ user: "ann" });
        expect(readDecider("role:admin")).toEqual({ role: "admin" });
        expect(readDecider("role:king")).toEqual({ other: "role:king" });
        expect(userOfActor("user:ann")).toBe("ann");
        expect(userOfActor("token:1")).toBeUndefined();
    });
});
