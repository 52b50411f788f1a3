// SPDX-License-Identifier: Apache-2.0
// Where a run stands among the events of its room: one list, nothing twice, and nothing that was taken away.
import { describe, expect, it } from "vitest";
import type { RoomEvent, Run } from "../src/api/model";
import type { RunEvent } from "../src/live/runStream";
import { buildRows, type Row } from "../src/store/rows";
import { newRun, type RunView, receiveFrame, storeEvent } from "../src/store/run";
import { noRuns, type RunSources, shapeOf } from "../src/store/runRows";
import { eventAt } from "./events";

const AGENT = "agent-channel";

function fromAgent(index: number, id: string, change: Partial<RoomEvent> = {}): RoomEvent {
    return eventAt(index, {
        id,
        correlation_id: "run",
        source: {
            channel_id: AGENT,
            channel_type: "agent",
            participant_id: "",
            external_id: "",
            provider_message_id: "",
        },
        ...change,
    });
}

function callAt(index: number, call: string): RoomEvent {
    return fromAgent(index, `result-${call}`, {
        type: "tool_call_end",
        content: {
            type: "tool_call",
            tool_name: "observe",
            tool_id: call,
            arguments: {},
            status: "completed",
            result: "Noted.",
        },
    });
}

function view(events: RunEvent[], run = newRun("run")): RunView {
    return events.reduce(
        (held, event, at) => receiveFrame(held, { id: `run-${at}`, event }, 0),
        run,
    );
}

const text = (id: string, delta = "words"): RunEvent => ({
    type: "TEXT_MESSAGE_CONTENT",
    messageId: id,
    delta,
});
const thought = (id: string): RunEvent => ({
    type: "REASONING_MESSAGE_CONTENT",
    messageId: id,
    delta: "hm",
});
const call = (id: string): RunEvent => ({
    type: "TOOL_CALL_START",
    toolCallId: id,
    toolCallName: "observe",
});
const finished: RunEvent = { type: "RUN_FINISHED" };

const told: RunEvent[] = [thought("t1"), text("m1"), call("c1"), thought("t2"), text("m2")];

function rowsOf(events: RoomEvent[], runs: Partial<RunSources>): Row[] {
    return buildRows({
        events,
        pending: [],
        runs: { ...noRuns, agent: AGENT, ...runs },
        line: 99,
        ownId: "aiko",
        dayOf: () => "one day",
    }).filter(({ kind }) => kind !== "day");
}

const shown = (rows: Row[]) => rows.map(({ kind, key }) => `${kind} ${key}`);

function runOf(status: Run["status"], change: Partial<Run> = {}): Run {
    return {
        id: "run",
        room_id: "room",
        status,
        started_by: "aiko",
        worker: "",
        epoch: 1,
        is_cancel_requested: false,
        finish_reason: "",
        error_code: "",
        last_frame: 9,
        started_at: eventAt(0).created_at,
        ended_at: null,
        ...change,
    };
}

describe("rows of a run", () => {
    it("StandInTheOrderOfTheStreamWhateverIsStoredOfIt", () => {
        const keys = ["thinking t1", "message m1", "call c1", "thinking t2", "message m2"];
        const stored = [fromAgent(1, "m1"), callAt(2, "c1"), fromAgent(3, "m2")];
        for (let count = 0; count <= stored.length; count += 1) {
            const rows = rowsOf([eventAt(0), ...stored.slice(0, count)], { watched: [view(told)] });
            const expected = keys.map((key) =>
                count < 3 && key === "message m2"
                    ? "live m2"
                    : count < 1 && key === "message m1"
                      ? "live m1"
                      : key,
            );
            expect(shown(rows), `${count} stored`).toEqual(["message event-0", ...expected]);
        }
    });

    it("KeepTheirElementWhenTheirEventArrives", () => {
        const before = rowsOf([eventAt(0)], { watched: [view([text("m1")])] });
        const after = rowsOf([eventAt(0), fromAgent(1, "m1")], { watched: [view([text("m1")])] });
        expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
        expect(before.at(-1)).toMatchObject({ kind: "live", isContinued: false });
        expect(after.at(-1)).toMatchObject({ kind: "message", isContinued: false });
    });

    it("StayBehindTheirRunWhenOthersGoOn", () => {
        const over = view([...told.slice(0, 3), finished]);
        const events = [eventAt(0), fromAgent(1, "m1"), eventAt(2)];
        expect(shown(rowsOf(events, { watched: [over] }))).toEqual([
            "message event-0",
            "thinking t1",
            "message m1",
            "call c1",
            "message event-2",
        ]);
    });

    it("DoNotBringBackWhatWasTakenAway", () => {
        // It was stored, and then erased: the frames have it still.
        const erased = storeEvent(view([text("m1"), text("m2")]), "m1");
        expect(shown(rowsOf([eventAt(0)], { watched: [erased] })).slice(1)).toEqual(["live m2"]);
        const past = view([thought("t1"), text("m1"), finished], newRun("run", true));
        expect(shown(rowsOf([eventAt(0)], { watched: [past] })).slice(1)).toEqual(["thinking t1"]);
    });

    it("SayHowARunEndedWhereItEnded", () => {
        const over = { ended_at: eventAt(1).created_at };
        const events = [eventAt(0), eventAt(5)];
        const failed = runOf("failed", { ...over, error_code: "TIMED_OUT" });
        expect(rowsOf(events, { runs: [failed] })[1]).toMatchObject({
            kind: "ended",
            how: { code: "TIMED_OUT" },
        });
        const stopped = { runs: [runOf("cancelled", over)] };
        expect(rowsOf(events, stopped)[1]).toMatchObject({ how: "stopped" });
        expect(rowsOf(events, { ...stopped, stopped: new Set(["run"]) })[1]).toMatchObject({
            how: "stoppedHere",
        });
        expect(rowsOf(events, { runs: [runOf("finished", over)] })).toHaveLength(2);
    });

    it("TellThatAnotherWorkerWentOn", () => {
        const cut = fromAgent(1, "m1", { metadata: { finish_reason: "interrupted" } });
        const goesOn = rowsOf([eventAt(0), cut, fromAgent(2, "m2")], {});
        expect(shown(goesOn)).toContain("takeover takeover-m1");
        // The last words of a run that was stopped: nobody took it up.
        const stopped = rowsOf([eventAt(0), cut], { runs: [runOf("cancelled")] });
        expect(shown(stopped).some((row) => row.startsWith("takeover"))).toBe(false);
    });

    it("ShowACallOnceAlsoWhereItsBeginningIsStored", () => {
        const begun = callAt(1, "c1");
        const events = [
            { ...begun, id: "start", type: "tool_call_start" as const },
            callAt(2, "c1"),
        ];
        expect(shown(rowsOf(events, {}))).toEqual(["call c1"]);
    });

    it("ChangeWithWhatThereIsAndNotWithEachWord", () => {
        const sources = (events: RunEvent[]) => ({ ...noRuns, watched: [view(events)] });
        const one = shapeOf(sources([text("m1", "one")]));
        expect(shapeOf(sources([text("m1", "one two")]))).toBe(one);
        expect(shapeOf(sources([text("m1", "one"), call("c1")]))).not.toBe(one);
        expect(shapeOf(sources([text("m1", "one"), finished]))).not.toBe(one);
    });
});
