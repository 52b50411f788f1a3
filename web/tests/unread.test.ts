// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test, vi } from "vitest";
import { fetchUnread } from "../src/api/calls";
import { Problem } from "../src/api/problem";
import { UnreadCounts } from "../src/store/unread";

vi.mock("../src/api/calls", () => ({ fetchUnread: vi.fn() }));

type Answer = Awaited<ReturnType<typeof fetchUnread>>;
const asked = vi.mocked(fetchUnread);
const counted = (unread: number) => ({ unread, mentions: 0 }) as Answer;

// Without a value: what it returns would be called after the test.
beforeEach(() => {
    asked.mockReset();
});

test("AnAnswerThatWasOvertakenByNewsIsDropped", async () => {
    const counts = new UnreadCounts();
    asked.mockImplementationOnce(async () => {
        counts.set("r", { unread: 1, mentions: 0 });
        return counted(0);
    });
    counts.refresh(["r"], "missing");
    // The second is asked for when the first has been dealt with.
    asked.mockResolvedValue(counted(2));
    counts.refresh(["a", "b", "s"], "missing");
    await vi.waitFor(() => expect(counts.of("s").unread).toBe(2));
    expect(counts.of("r").unread).toBe(1);
});

test("AnAnswerReplacesWhatWasKnownBefore", async () => {
    const counts = new UnreadCounts();
    counts.set("r", { unread: 1, mentions: 0 });
    asked.mockResolvedValueOnce(counted(3));
    counts.refresh(["r"], "missing");
    expect(asked).not.toHaveBeenCalled();
    counts.refresh(["r"], "again");
    await vi.waitFor(() => expect(counts.of("r").unread).toBe(3));
});

test("TheCountsOfManyRoomsAreAskedForAtAPaceThatAServerTakes", async () => {
    vi.useFakeTimers();
    try {
        const counts = new UnreadCounts();
        asked.mockResolvedValue(counted(1));
        const rooms = Array.from({ length: 300 }, (_, at) => `room-${at}`);
        counts.refresh(rooms, "missing");
        await vi.advanceTimersByTimeAsync(1_000);
        expect(asked.mock.calls.length).toBeLessThanOrEqual(35);
        await vi.advanceTimersByTimeAsync(10_000);
        expect(new Set(asked.mock.calls.map(([id]) => id)).size).toBe(300);
    } finally {
        vi.useRealTimers();
    }
});

test("WhatCameTooSoonIsAskedForOnceMoreWhenTheServerSaysSo", async () => {
    vi.useFakeTimers();
    try {
        const counts = new UnreadCounts();
        const tooSoon = async () => {
            throw new Problem({ code: "RATE_LIMITED", status: 429, retry_after: 2 });
        };
        asked.mockImplementationOnce(tooSoon).mockResolvedValueOnce(counted(4));
        counts.refresh(["late"], "missing");
        await vi.advanceTimersByTimeAsync(1_900);
        expect(asked).toHaveBeenCalledTimes(1);
        await vi.advanceTimersByTimeAsync(300);
        expect(counts.of("late").unread).toBe(4);

        asked.mockImplementation(tooSoon);
        counts.refresh(["late"], "again");
        await vi.advanceTimersByTimeAsync(60_000);
        expect(asked).toHaveBeenCalledTimes(4);
        expect(counts.of("late").unread).toBe(4);
    } finally {
        vi.useRealTimers();
    }
});
