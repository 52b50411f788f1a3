// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test, vi } from "vitest";
import { fetchUnread } from "../src/api/calls";
import { UnreadCounts } from "../src/store/unread";

vi.mock("../src/api/calls", () => ({ fetchUnread: vi.fn() }));

type Answer = Awaited<ReturnType<typeof fetchUnread>>;
const asked = vi.mocked(fetchUnread);
const counted = (unread: number) => ({ unread, mentions: 0 }) as Answer;

beforeEach(() => asked.mockReset());

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
