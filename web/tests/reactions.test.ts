// SPDX-License-Identifier: Apache-2.0
// Reactions pass: taken in once, shown for a while, and nothing that is not one of ours.
import { describe, expect, it } from "vitest";
import type { RealtimeEvent } from "../src/live/frames";
import {
    addReaction,
    REACTION_LASTS_MS,
    type Reaction,
    reactionOf,
    reactionsTo,
    withoutOld,
} from "../src/live/reactions";

function remark(data: Record<string, unknown>, change: Partial<RealtimeEvent> = {}): RealtimeEvent {
    return { type: "reaction", participant_id: "ben", data, ...change };
}

const nod = (who: string, emoji: string, at: number): Reaction => ({
    eventId: "e",
    emoji,
    who,
    at,
});

describe("reactions", () => {
    it("AreReadFromRemarks", () => {
        expect(reactionOf(remark({ event_id: "e", emoji: "👍" }), 5)).toEqual(nod("ben", "👍", 5));
    });

    it("AreNothingElse", () => {
        expect(reactionOf(remark({ event_id: "e", emoji: "<b>" }), 5)).toBeUndefined();
        expect(reactionOf(remark({ emoji: "👍" }), 5)).toBeUndefined();
        expect(reactionOf(remark({ event_id: "e", emoji: "👍" }, { type: "typing" }), 5)).toBe(
            undefined,
        );
    });

    it("CountOnceForAPerson", () => {
        const held = [nod("ben", "👍", 1), nod("aiko", "👍", 2)].reduce(addReaction, []);
        const again = addReaction(held, nod("ben", "👍", 9));
        expect(reactionsTo(again, "e")).toEqual([{ emoji: "👍", who: ["aiko", "ben"] }]);
    });

    it("PassAfterAWhile", () => {
        const held = [nod("ben", "👍", 0), nod("aiko", "🎉", 10)].reduce(addReaction, []);
        expect(withoutOld(held, REACTION_LASTS_MS - 1)).toBe(held);
        expect(withoutOld(held, REACTION_LASTS_MS)).toEqual([nod("aiko", "🎉", 10)]);
    });

    it("AreNeverMoreThanCanBeHeld", () => {
        const many = Array.from({ length: 500 }, (_, at) => nod(`p${at}`, "👀", at));
        const held = many.reduce(addReaction, []);
        expect(held).toHaveLength(100);
        expect(held.at(-1)?.who).toBe("p499");
    });
});
