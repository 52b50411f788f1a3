// SPDX-License-Identifier: Apache-2.0
// The lines that are made of events: days, the unread line, continued messages, what waits.
import { describe, expect, it } from "vitest";
import type { OutboxEntry } from "../src/store/outbox";
import { buildRows, type RowSources } from "../src/store/rows";
import { eventAt, sourceOf } from "./events";

const entry: OutboxEntry = {
    key: "key-1",
    roomId: "room",
    thread: "",
    body: "hello",
    mentions: [],
    files: [],
    createdAt: 0,
    state: "waiting",
};

function rowsOf(sources: Partial<RowSources>) {
    return buildRows({
        events: [],
        pending: [],
        line: 99,
        ownId: "aiko",
        dayOf: (at) => at.toISOString().slice(0, 10),
        ...sources,
    });
}

describe("rows", () => {
    it("BeginEachDayWithItsLine", () => {
        const events = [eventAt(0), eventAt(1, { created_at: "2026-12-01T08:00:00Z" })];
        expect(rowsOf({ events }).map((row) => row.kind)).toEqual([
            "day",
            "message",
            "day",
            "message",
        ]);
    });

    it("PutTheUnreadLineBeforeTheFirstMessageOfAnother", () => {
        const events = [
            eventAt(0, { source: sourceOf("ben") }),
            eventAt(1),
            eventAt(2, { source: sourceOf("ben") }),
            eventAt(3, { source: sourceOf("ben") }),
        ];
        const rows = rowsOf({ events, line: 0 });
        expect(rows.map((row) => row.kind)).toEqual([
            "day",
            "message",
            "message",
            "unread",
            "message",
            "message",
        ]);
        expect(rows[3]).toMatchObject({ count: 2 });
    });

    it("DrawNoUnreadLineForOwnMessages", () => {
        expect(rowsOf({ events: [eventAt(0)], line: -1 }).map((row) => row.kind)).not.toContain(
            "unread",
        );
    });

    it("DoNotRepeatANameWithinFiveMinutes", () => {
        const events = [
            eventAt(0),
            eventAt(1),
            eventAt(2, { created_at: "2026-11-30T09:30:00Z" }),
            eventAt(3, { created_at: "2026-11-30T09:31:00Z", source: sourceOf("ben") }),
        ];
        const continued = rowsOf({ events }).flatMap((row) =>
            row.kind === "message" ? [row.isContinued] : [],
        );
        expect(continued).toEqual([false, true, false, false]);
    });

    it("AreTheSameBelowASeamWhateverIsPutBeforeIt", () => {
        const events = [eventAt(8), eventAt(9), eventAt(10), eventAt(11)];
        const seams = new Set([10]);
        const before = rowsOf({ events: events.slice(2), seams, oldest: 10 });
        const after = rowsOf({ events, seams, oldest: 8 });
        expect(before.map((row) => row.kind)).toEqual(["message", "message"]);
        expect(after.slice(-2)).toEqual(before);
    });

    it("DrawNoUnreadLineWhereWhatIsUnreadBeginsBeforeTheWindow", () => {
        const events = [10, 11].map((at) => eventAt(at, { source: sourceOf("ben") }));
        const kinds = (line: number) => rowsOf({ events, line, oldest: 10 }).map((row) => row.kind);
        expect(kinds(4)).not.toContain("unread");
        expect(kinds(9)).toContain("unread");
    });

    it("CountTheRepliesOfARoot", () => {
        const events = [
            eventAt(0),
            eventAt(1, { parent_event_id: "event-0" }),
            eventAt(2, { parent_event_id: "event-0", is_deleted: true }),
        ];
        expect(rowsOf({ events })[1]).toMatchObject({ replies: 1 });
    });

    it("KeepTheKeyOfAPendingMessageWhenItIsSent", () => {
        const pending = rowsOf({ pending: [entry] });
        const sent = rowsOf({ events: [eventAt(0, { idempotency_key: "key-1" })] });
        expect(sent[1]?.key).toBe(pending[0]?.key);
    });

    it("NeverUseTheKeyOfAnother", () => {
        const events = [eventAt(0, { idempotency_key: "key-1", source: sourceOf("ben") })];
        expect(rowsOf({ events })[1]?.key).toBe("event-0");
    });
});
