// SPDX-License-Identifier: Apache-2.0
// The outbox: each text once, in order, over lost connections, refusals and reloads.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NewEvent, RoomEvent } from "../src/api/model";
import { Problem } from "../src/api/problem";
import { ConnectionLost } from "../src/live/socket";
import { Outbox, type OutboxEntry } from "../src/store/outbox";
import { eventAt } from "./events";

interface Call {
    event: NewEvent;
    resolve: (event: RoomEvent | undefined) => void;
    reject: (reason: unknown) => void;
}

function makeOutbox(stored = new Map<string, OutboxEntry>()) {
    const calls: Call[] = [];
    const sent: RoomEvent[] = [];
    let keys = 0;
    const outbox = new Outbox({
        storage: {
            load: async () => [...stored.values()],
            put: async (entry) => void stored.set(entry.key, entry),
            remove: async (key) => void stored.delete(key),
        },
        send: (_room, event) =>
            new Promise((resolve, reject) => calls.push({ event, resolve, reject })),
        onSent: (event) => sent.push(event),
        newKey: () => {
            keys += 1;
            return `key-${keys}`;
        },
    });
    return { outbox, calls, sent, stored };
}

const bodyOf = ({ event }: Call) => event.content.type === "text" && event.content.body;
const settle = () => vi.advanceTimersByTimeAsync(0);
const refusal = (retryable: boolean, retryAfter?: number) =>
    new Problem({ code: "X", status: 503, retryable, retry_after: retryAfter });

describe("outbox", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it("SendsOneAfterTheOtherInARoom", async () => {
        const { outbox, calls, sent } = makeOutbox();
        outbox.connected(true);
        outbox.add("room", "", "first");
        outbox.add("room", "", "second");
        expect(calls.map(bodyOf)).toEqual(["first"]);
        calls[0]?.resolve(eventAt(0));
        await settle();
        expect(calls.map(bodyOf)).toEqual(["first", "second"]);
        calls[1]?.resolve(eventAt(1));
        await settle();
        expect(sent.map((event) => event.index)).toEqual([0, 1]);
        expect(outbox.entries.get()).toEqual([]);
    });

    it("SendsAgainUnderTheSameKeyWhenTheConnectionWasLost", async () => {
        const { outbox, calls } = makeOutbox();
        outbox.connected(true);
        outbox.add("room", "root", "text");
        calls[0]?.reject(new ConnectionLost());
        await settle();
        expect(outbox.entries.get()[0]?.state).toBe("waiting");
        outbox.connected(true);
        await settle();
        expect(calls[1]?.event).toEqual(calls[0]?.event);
        expect(calls[1]?.event).toMatchObject({
            idempotency_key: "key-1",
            parent_event_id: "root",
        });
    });

    it("SendsTheFilesOfATextWithIt", () => {
        const { outbox, calls } = makeOutbox();
        const photo = { type: "media", url: "attachment:one", mime_type: "image/png" } as const;
        outbox.connected(true);
        outbox.add("room", "", "look", [], [photo]);
        expect(calls[0]?.event.content).toEqual({
            type: "composite",
            parts: [{ type: "text", body: "look" }, photo],
        });
    });

    it("MarksWhatAsksTheAgentByItsKey", async () => {
        const { outbox, calls, sent } = makeOutbox();
        outbox.connected(true);
        outbox.add("room", "", "do it", [], [], "turn");
        expect(calls[0]?.event.idempotency_key).toBe("agui:key-1");
        // It had been taken before: nothing is known of it but that.
        calls[0]?.resolve(undefined);
        await settle();
        expect(outbox.entries.get()).toEqual([]);
        expect(sent).toEqual([]);
    });

    it("WaitsForAConnection", async () => {
        const { outbox, calls } = makeOutbox();
        outbox.add("room", "", "text");
        await settle();
        expect(calls).toHaveLength(0);
        outbox.connected(true);
        expect(calls).toHaveLength(1);
    });

    it("KeepsARefusedTextUntilThePersonDecides", async () => {
        const { outbox, calls } = makeOutbox();
        outbox.connected(true);
        outbox.add("room", "", "text");
        calls[0]?.reject(refusal(false));
        await settle();
        expect(outbox.entries.get()[0]).toMatchObject({ state: "refused", body: "text" });
        outbox.retry("key-1");
        expect(calls[1]?.event.idempotency_key).toBe("key-1");
    });

    it("DoesNotHoldUpWhatFollowsARefusedText", async () => {
        const { outbox, calls } = makeOutbox();
        outbox.connected(true);
        outbox.add("room", "", "refused");
        outbox.add("room", "", "next");
        calls[0]?.reject(refusal(false));
        await settle();
        expect(calls.map(bodyOf)).toEqual(["refused", "next"]);
    });

    it("WaitsAsLongAsTheServerAsks", async () => {
        const { outbox, calls } = makeOutbox();
        outbox.connected(true);
        outbox.add("room", "", "text");
        calls[0]?.reject(refusal(true, 7));
        await vi.advanceTimersByTimeAsync(6_900);
        expect(calls).toHaveLength(1);
        await vi.advanceTimersByTimeAsync(200);
        expect(calls).toHaveLength(2);
    });

    it("EndsAnEntryThatTheTailHasShown", () => {
        const { outbox, stored } = makeOutbox();
        outbox.add("room", "", "text");
        outbox.confirm(eventAt(0, { idempotency_key: "key-1" }));
        expect(outbox.entries.get()).toEqual([]);
        expect(stored.size).toBe(0);
    });

    it("TakesUpWhatAnEarlierPageLeft", async () => {
        const first = makeOutbox();
        first.outbox.add("room", "", "before the reload");
        const second = makeOutbox(first.stored);
        second.outbox.connected(true);
        await second.outbox.load();
        expect(second.calls[0]?.event).toMatchObject({
            idempotency_key: "key-1",
            content: { body: "before the reload" },
        });
    });
});
