// SPDX-License-Identifier: Apache-2.0
// The agent of a room: runs that are found, started, refused, and messages that are said once whatever happens.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RunInProgress } from "../src/api/agent";
import type { AgentState, NewEvent, RoomEvent, Run } from "../src/api/model";
import { Problem } from "../src/api/problem";
import { activeRun } from "../src/store/agentActivity";
import { AgentSession } from "../src/store/agentSession";
import { eventAt } from "./events";

const server = vi.hoisted(() => ({
    state: vi.fn(),
    runs: vi.fn(),
    start: vi.fn(),
    read: vi.fn(),
    cancel: vi.fn(),
}));

vi.mock("../src/api/calls", () => ({
    fetchAgentState: server.state,
    fetchRuns: server.runs,
}));
vi.mock("../src/api/agent", async (original) => ({
    ...(await original<object>()),
    startRun: server.start,
    readRun: server.read,
    cancelRun: server.cancel,
}));

function stateOf(status: AgentState["status"], runId = ""): AgentState {
    return { room_id: "room", agent: "agent", status, run_id: runId, interrupts: [] } as never;
}

function runOf(id: string, status: Run["status"]): Run {
    return { id, status, last_frame: 1, finish_reason: "", error_code: "" } as never;
}

function framesOf(run: string, from: number, ...events: object[]): Response {
    const text = events.map(
        (event, at) => `id: ${run}-${from + at}\ndata: ${JSON.stringify(event)}\n\n`,
    );
    return new Response(text.join(""));
}

/** A connection on which nothing more comes. */
function openFrames(run: string, ...events: object[]): Response {
    const whole = framesOf(run, 0, ...events);
    return new Response(
        new ReadableStream({
            async start(to) {
                to.enqueue(new Uint8Array(await whole.arrayBuffer()));
            },
        }),
    );
}

const started = { type: "RUN_STARTED" };
const finished = { type: "RUN_FINISHED", outcome: { type: "success" } };
const text = { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "words" };
const asked: NewEvent = { content: { type: "text", body: "hello" }, idempotency_key: "agui:1" };
const stored = eventAt(3, { idempotency_key: "agui:1" });

function makeAgent(found = stateOf("idle")) {
    const inTurn: NewEvent[] = [];
    const agent = new AgentSession({
        roomId: "room",
        route: { kind: "room", id: "room" },
        found,
        sayInTurn: async (event): Promise<RoomEvent | undefined> => {
            inTurn.push(event);
            return undefined;
        },
    });
    agent.open();
    return { agent, inTurn, view: () => agent.state.get() };
}

const settle = (ms = 50) => vi.advanceTimersByTimeAsync(ms);

describe("the agent of a room", () => {
    beforeEach(() => {
        vi.useFakeTimers();
        const target = { addEventListener: () => {}, removeEventListener: () => {} };
        vi.stubGlobal("window", target);
        vi.stubGlobal("document", { ...target, visibilityState: "visible" });
        vi.stubGlobal("requestAnimationFrame", (act: () => void) => setTimeout(act, 16));
        vi.stubGlobal("cancelAnimationFrame", clearTimeout);
        server.state.mockResolvedValue(stateOf("idle"));
        server.runs.mockResolvedValue([]);
        server.read.mockImplementation(async () => new Response(null, { status: 204 }));
    });
    afterEach(() => {
        vi.useRealTimers();
        vi.unstubAllGlobals();
        vi.resetAllMocks();
    });

    it("WatchesTheRunThatGoesOnWhenItIsOpened", async () => {
        server.state.mockResolvedValue(stateOf("running", "r1"));
        server.runs.mockResolvedValue([runOf("r1", "running")]);
        server.read.mockResolvedValue(openFrames("r1", started, text));
        const { agent, view } = makeAgent();
        await settle();
        expect(view().watched).toMatchObject([{ id: "r1", items: [{ text: "words" }] }]);
        expect(activeRun(view())?.id).toBe("r1");
        agent.close();
    });

    it("ReadsTheLastRunOnceAndLeavesItsWordsToTheRoom", async () => {
        server.runs.mockResolvedValue([runOf("r1", "finished")]);
        server.read.mockResolvedValue(framesOf("r1", 0, started, text, finished));
        const { agent, view } = makeAgent();
        await settle(10_000);
        expect(view().watched).toMatchObject([{ id: "r1", isPast: true }]);
        expect(activeRun(view())).toBeUndefined();
        expect(server.read).toHaveBeenCalledTimes(1);
        agent.close();
    });

    it("DoesNotAskAgainForARunThatIsNotShown", async () => {
        server.runs.mockResolvedValue([runOf("r1", "running")]);
        server.read.mockResolvedValue(Response.json({ code: "X", status: 403 }, { status: 403 }));
        const { agent, view } = makeAgent();
        await settle(30_000);
        expect(server.read).toHaveBeenCalledTimes(1);
        expect(view().problem).toMatchObject({ status: 403 });
        agent.close();
    });

    it("FindsTheRunThatAMessageOfAnotherBringsAbout", async () => {
        const { agent, view } = makeAgent();
        await settle();
        expect(view().watched).toEqual([]);
        agent.hear(eventAt(1));
        await settle(400);
        server.runs.mockResolvedValue([runOf("r2", "running")]);
        server.read.mockResolvedValue(openFrames("r2", started));
        await settle(1_000);
        expect(view().watched).toMatchObject([{ id: "r2", isPast: false }]);
        agent.close();
    });

    it("FindsTheRunOfAMessageThatCameWithTheRoom", async () => {
        const { agent, view } = makeAgent();
        await settle(10_000);
        server.runs.mockResolvedValue([runOf("r2", "running")]);
        server.read.mockResolvedValue(openFrames("r2", started));
        agent.lookAgain();
        await settle();
        expect(view().watched).toMatchObject([{ id: "r2" }]);
        agent.close();
    });

    it("StartsARunAndKnowsTheMessageWhenTheRoomShowsIt", async () => {
        server.start.mockResolvedValue(openFrames("r1", started, text));
        const { agent, view } = makeAgent();
        await settle();
        const said = agent.say(asked);
        await settle();
        expect(server.start).toHaveBeenCalledWith({ kind: "room", id: "room" }, "room", {
            id: "1",
            text: "hello",
        });
        expect(activeRun(view())?.id).toBe("r1");
        agent.hear(stored);
        expect(await said).toBe(stored);
        agent.close();
    });

    it("SaysInTurnWhatMayHaveBeenTaken", async () => {
        server.start.mockRejectedValue(new Problem({ code: "UNREACHABLE", status: 0 }));
        const { agent, inTurn } = makeAgent();
        await expect(agent.say(asked)).rejects.toBeInstanceOf(Problem);
        await agent.say(asked);
        expect(inTurn).toEqual([asked]);
        expect(server.start).toHaveBeenCalledTimes(1);
        agent.close();
    });

    it("SaysInTurnWhileLeaveIsAskedFor", async () => {
        server.start.mockRejectedValue(
            new Problem({ code: "SESSION_AWAITING_APPROVAL", status: 409 }),
        );
        const { agent, inTurn } = makeAgent();
        await agent.say(asked);
        expect(inTurn).toEqual([asked]);
        agent.close();
    });

    it("AsksForARunAgainAfterOneWasInTheWay", async () => {
        const refusal = new RunInProgress({ run_id: "r1", started_at: "2026-11-30T09:00:00Z" });
        server.start.mockRejectedValueOnce(refusal);
        server.start.mockResolvedValueOnce(openFrames("r2", started));
        const { agent, inTurn } = makeAgent();
        await expect(agent.say(asked)).rejects.toBe(refusal);
        const said = agent.say(asked);
        await settle();
        agent.hear(stored);
        expect(await said).toBe(stored);
        expect(inTurn).toEqual([]);
        agent.close();
    });

    it("IsStoppedWhenTheStreamSaysSo", async () => {
        server.runs.mockResolvedValue([runOf("r1", "running")]);
        server.read.mockResolvedValue(openFrames("r1", started, text));
        server.cancel.mockResolvedValue(runOf("r1", "running"));
        const { agent, view } = makeAgent();
        await settle();
        await agent.stop();
        expect(server.cancel).toHaveBeenCalledWith({ kind: "room", id: "room" }, "r1");
        expect(view().stopped).toEqual(new Set(["r1"]));
        expect(activeRun(view())?.id).toBe("r1");
        agent.close();
    });

    it("LooksAgainAsLongAsATurnWaits", async () => {
        server.state.mockResolvedValue(stateOf("queued"));
        const { agent, view } = makeAgent();
        await settle(10_000);
        expect(server.state.mock.calls.length).toBeGreaterThan(4);
        expect(view().status).toBe("queued");
        server.state.mockResolvedValue(stateOf("idle"));
        await settle(3_000);
        const asked = server.state.mock.calls.length;
        await settle(60_000);
        expect(server.state.mock.calls.length).toBe(asked);
        agent.close();
    });
});
