// SPDX-License-Identifier: Apache-2.0
// One run by its frames: what is said, thought and called, whatever comes twice, and how it ends.
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../src/live/runStream";
import { endRun, newRun, type RunView, receiveFrame } from "../src/store/run";

/** One frame a second, from the first on. */
function play(events: RunEvent[], run = newRun("run"), live = true): RunView {
    return events.reduce(
        (held, event, at) =>
            receiveFrame(held, { id: `run-${at}`, event }, live ? at * 1_000 : undefined),
        run,
    );
}

const said: RunEvent[] = [
    { type: "RUN_STARTED" },
    { type: "REASONING_START", messageId: "t" },
    { type: "REASONING_MESSAGE_START", messageId: "t" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: "t", delta: "I think" },
    { type: "REASONING_MESSAGE_END", messageId: "t" },
    { type: "REASONING_END", messageId: "t" },
    { type: "TEXT_MESSAGE_START", messageId: "m" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "One, " },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "two." },
    { type: "TEXT_MESSAGE_END", messageId: "m" },
];

const called: RunEvent[] = [
    { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "add_task" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"title":' },
    { type: "TOOL_CALL_START", toolCallId: "c2", toolCallName: "observe" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '"x"}' },
    { type: "TOOL_CALL_END", toolCallId: "c1" },
    { type: "TOOL_CALL_RESULT", toolCallId: "c1", messageId: "r1", content: "Added." },
];

describe("a run", () => {
    it("HoldsWhatIsThoughtAndSaidInItsOrder", () => {
        const run = play(said);
        expect(run.items).toMatchObject([
            { kind: "thinking", id: "t", text: "I think", isOpen: false, durationMs: 2_000 },
            { kind: "text", id: "m", text: "One, two.", isOpen: false },
        ]);
        expect(run.outcome).toBeUndefined();
    });

    it("HoldsCallsThatAreMadeTogetherApart", () => {
        const run = play(called);
        expect(run.items).toMatchObject([
            { kind: "call", id: "c1", name: "add_task", args: '{"title":"x"}', result: "Added." },
            { kind: "call", id: "c2", name: "observe", isOpen: true },
        ]);
    });

    it("IsTheSameWhateverComesTwice", () => {
        const run = play(said);
        expect(play(said, run)).toEqual(run);
        expect(play(said.slice(0, 4), run)).toEqual(run);
    });

    it("ClaimsNoDurationOfWhatWasNotWatched", () => {
        const [thinking] = play(said, newRun("run"), false).items;
        expect(thinking).toMatchObject({ kind: "thinking", durationMs: undefined });
    });

    it("EndsOnceAndLeavesNothingOpen", () => {
        const cut = said.slice(0, 8);
        const cancelled = play([...cut, { type: "RUN_FINISHED", outcome: { type: "cancelled" } }]);
        expect(cancelled.outcome).toEqual({ type: "cancelled" });
        expect(cancelled.items.some((item) => "isOpen" in item && item.isOpen)).toBe(false);
        expect(endRun(cancelled, { type: "finished" })).toBe(cancelled);
        const failed = play([...cut, { type: "RUN_ERROR", code: "TIMED_OUT", message: "" }]);
        expect(failed.outcome).toEqual({ type: "failed", code: "TIMED_OUT" });
        const asks = play([{ type: "RUN_FINISHED", outcome: { type: "interrupt" } }]);
        expect(asks.outcome).toEqual({ type: "interrupt" });
        expect(play([{ type: "RUN_FINISHED" }]).outcome).toEqual({ type: "finished" });
    });

    it("NamesTheStepItIsAt", () => {
        const steps: RunEvent[] = [
            { type: "STEP_STARTED", stepName: "search" },
            { type: "STEP_FINISHED", stepName: "search" },
        ];
        expect(play(steps.slice(0, 1)).step).toBe("search");
        expect(play(steps).step).toBe("");
    });

    it("PassesOverWhatIsNotKnownOrMalformed", () => {
        const odd: RunEvent[] = [
            { type: "SOMETHING_NEW", messageId: "m" },
            { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: 7 },
            { type: "CUSTOM", name: "other" },
        ];
        expect(play(odd).items).toMatchObject([{ kind: "text", text: "" }]);
    });
});
