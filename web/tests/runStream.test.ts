// SPDX-License-Identifier: Apache-2.0
// Reading a run: cut at every place it is read on, complete, each frame once, and ended by its last event alone.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Problem } from "../src/api/problem";
import { type RunFrame, RunStream, type RunStreamOptions } from "../src/live/runStream";

const EVENTS = [
    { type: "RUN_STARTED" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "こんにちは" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: " there" },
    { type: "RUN_FINISHED" },
];
const IDS = EVENTS.map((_, at) => `run-${at}`);

function frameAt(at: number): string {
    return `id: run-${at}\ndata: ${JSON.stringify(EVENTS[at])}\n\n`;
}

/** What the server sends to a reader that has seen a frame. */
function streamAfter(after: string | undefined): Uint8Array {
    const from = after === undefined ? 0 : IDS.indexOf(after) + 1;
    const frames = EVENTS.slice(from).map((_, at) => frameAt(from + at));
    return new TextEncoder().encode(`retry: 700\n\n: still here\n\n${frames.join("")}`);
}

/** `breaks` is how a connection that was lost ends, `ends` what a proxy makes of it. */
function answerOf(bytes: Uint8Array, how: "ends" | "breaks" | "hangs" = "ends"): Response {
    let isSent = false;
    return new Response(
        new ReadableStream({
            pull(to) {
                if (!isSent && bytes.length > 0) {
                    isSent = true;
                    to.enqueue(bytes);
                } else if (how === "breaks") {
                    to.error(new TypeError("network error"));
                } else if (how === "ends") {
                    to.close();
                }
            },
        }),
    );
}

function makeReader(open: RunStreamOptions["open"], first?: Response) {
    const frames: RunFrame[] = [];
    const stream = new RunStream({
        ...(first ? { first } : {}),
        open,
        onFrame: (frame) => frames.push(frame),
        random: () => 0.5,
    });
    return { stream, frames, end: stream.read() };
}

describe("a run's stream", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    for (const how of ["ends", "breaks"] as const) {
        it(`IsReadOnWhereverIt ${how}`, async () => {
            const whole = streamAfter(undefined);
            for (let cut = 0; cut < whole.length; cut += 1) {
                const asked: (string | undefined)[] = [];
                const { frames, end } = makeReader(async (after) => {
                    asked.push(after);
                    return asked.length === 1
                        ? answerOf(whole.slice(0, cut), how)
                        : answerOf(streamAfter(after));
                });
                await vi.advanceTimersByTimeAsync(60_000);
                expect(await end, `cut at ${cut}`).toBe("ended");
                expect(
                    frames.map(({ id }) => id),
                    `cut at ${cut}`,
                ).toEqual(IDS);
                expect(frames[1]?.event.delta).toBe("こんにちは");
                expect(asked.length, `cut at ${cut}`).toBe(2);
            }
        });
    }

    it("BeginsWithTheAnswerThatStartedIt", async () => {
        const asked: (string | undefined)[] = [];
        const cut = new TextEncoder().encode(frameAt(0) + frameAt(1));
        const { frames, end } = makeReader(async (after) => {
            asked.push(after);
            return answerOf(streamAfter(after));
        }, answerOf(cut));
        await vi.advanceTimersByTimeAsync(60_000);
        expect(await end).toBe("ended");
        expect(asked).toEqual(["run-1"]);
        expect(frames.map(({ id }) => id)).toEqual(IDS);
    });

    it("WaitsAsLongAsTheServerAsksAndLongerWhenNobodyAnswers", async () => {
        const askedAt: number[] = [];
        const began = Date.now();
        const { end } = makeReader(
            async () => {
                askedAt.push(Date.now() - began);
                if (askedAt.length < 4) {
                    throw new TypeError("failed to fetch");
                }
                return answerOf(streamAfter("run-0"));
            },
            answerOf(new TextEncoder().encode(`retry: 900\n\n${frameAt(0)}`)),
        );
        await vi.advanceTimersByTimeAsync(60_000);
        expect(await end).toBe("ended");
        const waits = askedAt.map((at, index) => at - (askedAt[index - 1] ?? 0));
        expect(waits[0]).toBe(900);
        expect(waits.slice(1)).toEqual([...waits.slice(1)].sort((a, b) => a - b));
        expect(waits.at(-1)).toBeLessThanOrEqual(30_000);
    });

    it("GivesUpOnAConnectionThatIsSilent", async () => {
        let asked = 0;
        const { end } = makeReader(async (after) => {
            asked += 1;
            return asked === 1
                ? answerOf(new TextEncoder().encode(frameAt(0)), "hangs")
                : answerOf(streamAfter(after));
        });
        await vi.advanceTimersByTimeAsync(34_000);
        expect(asked).toBe(1);
        await vi.advanceTimersByTimeAsync(4_000);
        expect(asked).toBe(2);
        expect(await end).toBe("ended");
    });

    it("EndsWhereAllWasSeen", async () => {
        const { end } = makeReader(async () => new Response(null, { status: 204 }));
        expect(await end).toBe("seen");
    });

    it("LeavesItToTheRoomWhatTheServerNoLongerHas", async () => {
        const gone = 'event: resync\ndata: {"from_index":0,"reason":"frames_removed"}\n\n';
        const bytes = new TextEncoder().encode(gone);
        expect(await makeReader(async () => answerOf(bytes)).end).toBe("reload");
        expect(await makeReader(async () => new Response("", { status: 404 })).end).toBe("reload");
    });

    it("IsRefusedForGoodOrForAWhile", async () => {
        const refusal = (status: number, retryable: boolean) =>
            Response.json({ code: "X", status, retryable }, { status });
        const refused = makeReader(async () => refusal(403, false)).end;
        await expect(refused).rejects.toBeInstanceOf(Problem);
        let asked = 0;
        const { end } = makeReader(async (after) => {
            asked += 1;
            return asked === 1 ? refusal(503, true) : answerOf(streamAfter(after));
        });
        await vi.advanceTimersByTimeAsync(60_000);
        expect(await end).toBe("ended");
    });

    it("IsClosedWithItsPage", async () => {
        let signal: AbortSignal | undefined;
        const { stream, end, frames } = makeReader(async (_, given) => {
            signal = given;
            return answerOf(new TextEncoder().encode(frameAt(0)), "hangs");
        });
        await vi.advanceTimersByTimeAsync(10);
        stream.close();
        expect(await end).toBe("closed");
        expect(signal?.aborted).toBe(true);
        await vi.advanceTimersByTimeAsync(60_000);
        expect(frames).toHaveLength(1);
    });

    it("ComesBackAtOnceWhenItIsWoken", async () => {
        let asked = 0;
        const { stream, end } = makeReader(async (after) => {
            asked += 1;
            if (asked < 3) {
                throw new TypeError("failed to fetch");
            }
            return answerOf(streamAfter(after));
        });
        await vi.advanceTimersByTimeAsync(1);
        stream.wake();
        await vi.advanceTimersByTimeAsync(1);
        expect(asked).toBe(2);
        stream.wake();
        expect(await end).toBe("ended");
    });
});
