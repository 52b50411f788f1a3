// SPDX-License-Identifier: Apache-2.0
// Typing falls by itself, and presence is claimed only of whom the server told.
import { describe, expect, it } from "vitest";
import type { RealtimeType } from "../src/api/model";
import {
    askWhoIsThere,
    hearMessage,
    hearRemark,
    nobody,
    presenceOf,
    typingNow,
} from "../src/live/people";

const remark = (type: RealtimeType, data: Record<string, unknown>) => ({
    type,
    participant_id: "ben",
    data,
});

describe("people", () => {
    it("TypeForSixSeconds", () => {
        const people = hearRemark(nobody, remark("typing", { is_typing: true }), 1_000);
        expect(typingNow(people, 6_999)).toEqual(["ben"]);
        expect(typingNow(people, 7_000)).toEqual([]);
    });

    it("StopTypingWhenTheySaySoOrSpeak", () => {
        const people = hearRemark(nobody, remark("typing", { is_typing: true }), 0);
        expect(typingNow(hearRemark(people, remark("typing", { is_typing: false }), 1), 1)).toEqual(
            [],
        );
        expect(typingNow(hearMessage(people, "ben"), 1)).toEqual([]);
    });

    it("AreUnknownUntilTheServerTellsWhoIsThere", () => {
        expect(presenceOf(nobody, "ben")).toBe("unknown");
        expect(presenceOf(askWhoIsThere(nobody), "ben")).toBe("offline");
    });

    it("AreThereFromTheFirstConnectionToTheLast", () => {
        const here = hearRemark(askWhoIsThere(nobody), remark("presence", { status: "online" }), 0);
        expect(presenceOf(here, "ben")).toBe("online");
        const gone = hearRemark(here, remark("presence", { status: "offline" }), 1);
        expect(presenceOf(gone, "ben")).toBe("offline");
    });

    it("AreToldAnewWithEverySubscription", () => {
        const here = hearRemark(askWhoIsThere(nobody), remark("presence", { status: "online" }), 0);
        expect(presenceOf(askWhoIsThere(here), "ben")).toBe("offline");
    });
});
