// SPDX-License-Identifier: Apache-2.0
// The socket of a tab against a real WebSocket server: resume, order, no repeats, resync, sending.
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type WebSocket as ServerSocket, WebSocket, WebSocketServer } from "ws";
import { ConnectionLost, type SocketLike, TabSocket, type TopicFrame } from "../src/live/socket";
import { eventAt } from "./events";

type Said = Record<string, unknown>;

/** A server that says only what a test tells it to, and remembers what it was told. */
class FakeServer {
    readonly said: Said[] = [];
    readonly connections: ServerSocket[] = [];
    private readonly server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    onFrame: (frame: Said, reply: (frame: Said) => void) => void = () => undefined;

    constructor() {
        this.server.on("connection", (connection) => {
            this.connections.push(connection);
            const reply = (frame: Said) => connection.send(JSON.stringify(frame));
            reply({ type: "hello", user_id: "aiko", connection_id: "1", heartbeat_seconds: 15 });
            connection.on("message", (text) => {
                const frame = JSON.parse(String(text)) as Said;
                this.said.push(frame);
                this.onFrame(frame, reply);
            });
        });
    }

    async listen(): Promise<void> {
        await once(this.server, "listening");
    }

    get url(): string {
        const address = this.server.address();
        return `ws://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    }

    tell(frame: Said): void {
        this.connections.at(-1)?.send(JSON.stringify(frame));
    }

    /** Ends the connection as a killed process does: without a word. */
    cut(): void {
        this.connections.at(-1)?.terminate();
    }

    asked(): Said[] {
        return this.said.filter((frame) => frame.type === "subscribe");
    }

    close(): void {
        for (const connection of this.connections) {
            connection.terminate();
        }
        this.server.close();
    }
}

const topic = "room:1";
const eventFrame = (index: number, id = String(index)) => ({
    type: "event",
    topic,
    id,
    event: eventAt(index),
});

describe("socket", () => {
    let server: FakeServer;
    let socket: TabSocket;
    let heard: TopicFrame[];
    const indexes = () =>
        heard.flatMap((frame) => (frame.type === "event" ? [frame.event.index] : []));

    beforeEach(async () => {
        server = new FakeServer();
        await server.listen();
        heard = [];
        socket = new TabSocket({
            connect: () => new WebSocket(server.url) as unknown as SocketLike,
            random: () => 0,
        });
        server.onFrame = (frame, reply) => {
            if (frame.type === "subscribe") {
                reply({ type: "subscribed", topic: frame.topic, position: frame.after ?? "9" });
            }
        };
    });

    afterEach(() => {
        socket.stop();
        server.close();
    });

    function follow(after?: number) {
        const from = after === undefined ? undefined : { epoch: 0, index: after };
        const subscription = socket.subscribe(topic, from, {
            onFrame: (frame) => heard.push(frame),
        });
        socket.start();
        return subscription;
    }

    const until = (test: () => void) => vi.waitFor(test, { timeout: 3_000, interval: 5 });

    it("AsksForWhatFollowsThePositionItHolds", async () => {
        follow(4);
        await until(() =>
            expect(server.asked()).toEqual([{ type: "subscribe", topic, after: "4" }]),
        );
    });

    it("ResumesAfterTheLastEventItHeard", async () => {
        follow(4);
        await until(() => expect(server.asked()).toHaveLength(1));
        server.tell(eventFrame(5));
        server.tell(eventFrame(6));
        await until(() => expect(indexes()).toEqual([5, 6]));
        server.cut();
        await until(() => expect(server.asked().at(-1)).toMatchObject({ after: "6" }));
        server.tell(eventFrame(7));
        await until(() => expect(indexes()).toEqual([5, 6, 7]));
    });

    it("PassesOnEachEventOnceAndInOrder", async () => {
        follow(4);
        await until(() => expect(server.asked()).toHaveLength(1));
        for (const index of [5, 6, 6, 5, 7]) {
            server.tell(eventFrame(index));
        }
        await until(() => expect(indexes()).toEqual([5, 6, 7]));
    });

    it("TakesAGapForWhatItMayNotSee", async () => {
        follow(4);
        await until(() => expect(server.asked()).toHaveLength(1));
        server.tell(eventFrame(9));
        await until(() => expect(indexes()).toEqual([9]));
        server.cut();
        await until(() => expect(server.asked().at(-1)).toMatchObject({ after: "9" }));
        expect(server.asked()).toHaveLength(2);
    });

    it("TakesThePositionOfTheServerWhenItHasNone", async () => {
        follow();
        await until(() => expect(server.asked()).toEqual([{ type: "subscribe", topic }]));
        await until(() => expect(socket.state).toBe("open"));
        server.cut();
        await until(() => expect(server.asked().at(-1)).toMatchObject({ after: "9" }));
    });

    it("PassesOnErasuresOfOlderIndexesWithoutGoingBack", async () => {
        follow(8);
        await until(() => expect(server.asked()).toHaveLength(1));
        server.tell({ type: "erased", topic, id: "3", index: 3 });
        await until(() => expect(heard).toMatchObject([{ type: "erased", index: 3 }]));
        server.cut();
        await until(() => expect(server.asked().at(-1)).toMatchObject({ after: "8" }));
    });

    it("WaitsForResumeAfterAResync", async () => {
        const subscription = follow(4);
        await until(() => expect(server.asked()).toHaveLength(1));
        server.tell({ type: "resync", topic, from_index: 0, reason: "repaired" });
        server.tell(eventFrame(5, "1-5"));
        await until(() => expect(heard.map((frame) => frame.type)).toEqual(["resync"]));
        subscription.resume({ epoch: 1, index: 6 });
        await until(() => expect(server.asked().at(-1)).toMatchObject({ after: "1-6" }));
        server.tell(eventFrame(7, "1-7"));
        await until(() => expect(indexes()).toEqual([7]));
    });

    it("DoesNotAskForATopicThatWaitsForResume", async () => {
        follow(4);
        await until(() => expect(server.asked()).toHaveLength(1));
        server.tell({ type: "resync", topic, from_index: 0, reason: "repaired" });
        await until(() => expect(heard).toHaveLength(1));
        server.cut();
        await until(() => expect(server.connections).toHaveLength(2));
        await until(() => expect(socket.state).toBe("open"));
        expect(server.asked()).toHaveLength(1);
    });

    it("TellsThatARefusedTopicEnded", async () => {
        server.onFrame = (frame, reply) => {
            const problem = { code: "NOT_FOUND", status: 404, retryable: false };
            reply({ type: "problem", topic: frame.topic, problem });
        };
        follow(4);
        await until(() => expect(heard).toMatchObject([{ type: "ended" }]));
    });

    it("AsksAgainForATopicThatCouldNotBeServed", async () => {
        server.onFrame = (frame, reply) => {
            const problem = { code: "STORE_BUSY", status: 503, retryable: true, retry_after: 0 };
            reply(
                server.asked().length === 1
                    ? { type: "problem", topic: frame.topic, problem }
                    : { type: "subscribed", topic: frame.topic, position: "4" },
            );
        };
        follow(4);
        await until(() => expect(server.asked()).toHaveLength(2));
        server.tell(eventFrame(5));
        await until(() => expect(indexes()).toEqual([5]));
    });

    it("TellsThatATopicEnded", async () => {
        follow(4);
        await until(() => expect(server.asked()).toHaveLength(1));
        server.tell({ type: "ended", topic, reason: "access_removed" });
        await until(() => expect(heard).toMatchObject([{ type: "ended" }]));
    });

    it("ConnectsElsewhereWhenAServerDrains", async () => {
        follow(4);
        await until(() => expect(server.asked()).toHaveLength(1));
        server.tell({ type: "ended", topic, reason: "draining" });
        await until(() => expect(server.asked()).toHaveLength(2));
        expect(heard).toEqual([]);
    });

    it("AnswersASendWithTheCommittedEvent", async () => {
        server.onFrame = (frame, reply) => {
            if (frame.type === "send") {
                reply({ type: "sent", ref: frame.ref, event: eventAt(3), replayed: false });
            }
        };
        follow(4);
        await until(() => expect(socket.state).toBe("open"));
        const event = await socket.send("1", { content: { type: "text", body: "hi" } });
        expect(event.index).toBe(3);
    });

    it("RefusesASendWithTheProblemOfTheServer", async () => {
        server.onFrame = (frame, reply) => {
            if (frame.type === "send") {
                const problem = { code: "ROOM_CLOSED", status: 409, title: "" };
                reply({ type: "problem", ref: frame.ref, problem });
            }
        };
        follow(4);
        await until(() => expect(socket.state).toBe("open"));
        const send = socket.send("1", { content: { type: "text", body: "hi" } });
        await expect(send).rejects.toMatchObject({ code: "ROOM_CLOSED" });
    });

    it("LosesASendWhoseAnswerDidNotCome", async () => {
        follow(4);
        await until(() => expect(socket.state).toBe("open"));
        const send = socket.send("1", { content: { type: "text", body: "hi" } });
        server.cut();
        await expect(send).rejects.toBeInstanceOf(ConnectionLost);
    });

    it("StopsForGoodWhenAccessIsGone", async () => {
        follow(4);
        await until(() => expect(socket.state).toBe("open"));
        server.connections[0]?.close(1008);
        await until(() => expect(socket.state).toBe("refused"));
    });

    it("HandsOnWhatChangedForThePerson", async () => {
        const told: string[] = [];
        socket.subscribe("me", undefined, { onFrame: (frame) => told.push(frame.type) });
        socket.start();
        await until(() => expect(server.asked()).toHaveLength(1));
        server.tell({ type: "rooms_changed", topic: "me", room_id: "1" });
        server.tell({ type: "session_changed", topic: "me", room_id: "1" });
        await until(() => expect(told).toEqual(["rooms_changed", "session_changed"]));
    });

    it("SkipsFramesThatItDoesNotKnow", async () => {
        follow(4);
        await until(() => expect(server.asked()).toHaveLength(1));
        server.connections[0]?.send("no json");
        server.tell({ type: "from_the_future" });
        server.tell(eventFrame(5));
        await until(() => expect(indexes()).toEqual([5]));
    });
});

/** A connection that a test holds in its hand. */
class HeldSocket {
    readonly said: Said[] = [];
    onmessage: ((message: { data: string }) => void) | null = null;
    onclose: ((closed: { code: number }) => void) | null = null;
    isClosed = false;

    send(text: string): void {
        this.said.push(JSON.parse(text) as Said);
    }

    close(): void {
        this.isClosed = true;
    }

    hear(frame: Said): void {
        this.onmessage?.({ data: JSON.stringify(frame) });
    }
}

describe("socket in time", () => {
    let sockets: HeldSocket[];
    let socket: TabSocket;

    beforeEach(() => {
        vi.useFakeTimers();
        sockets = [];
        socket = new TabSocket({
            connect: () => {
                const held = new HeldSocket();
                sockets.push(held);
                return held as unknown as SocketLike;
            },
            random: () => 1,
        });
        socket.start();
    });

    afterEach(() => {
        socket.stop();
        vi.useRealTimers();
    });

    const open = () => sockets.at(-1)?.hear({ type: "hello", heartbeat_seconds: 15 });

    it("WaitsLongerAfterEachFailure", () => {
        for (const delay of [1_200, 2_400, 4_800, 9_600, 19_200, 30_000, 30_000]) {
            const before = sockets.length;
            sockets.at(-1)?.onclose?.({ code: 1006 });
            vi.advanceTimersByTime(delay - 1);
            expect(sockets).toHaveLength(before);
            vi.advanceTimersByTime(1);
            expect(sockets).toHaveLength(before + 1);
        }
    });

    it("BeginsAnewAfterAGoodConnection", () => {
        sockets[0]?.onclose?.({ code: 1006 });
        vi.advanceTimersByTime(1_200);
        open();
        vi.advanceTimersByTime(5_000);
        sockets.at(-1)?.onclose?.({ code: 1006 });
        vi.advanceTimersByTime(600);
        expect(sockets).toHaveLength(3);
    });

    it("DoesNotWaitWhenThePersonComesBack", () => {
        sockets[0]?.onclose?.({ code: 1006 });
        socket.wake();
        expect(sockets).toHaveLength(2);
    });

    it("AsksForASignOfLifeWhenItIsQuiet", () => {
        open();
        vi.advanceTimersByTime(20_000);
        expect(sockets[0]?.said.map((frame) => frame.type)).toContain("ping");
    });

    it("GivesUpOnAConnectionThatIsSilentFor35Seconds", () => {
        open();
        vi.advanceTimersByTime(34_999);
        expect(sockets[0]?.isClosed).toBe(false);
        vi.advanceTimersByTime(1);
        expect(sockets[0]?.isClosed).toBe(true);
        expect(socket.state).toBe("waiting");
    });

    it("KeepsAConnectionThatAnswers", () => {
        open();
        for (let minute = 0; minute < 10; minute += 1) {
            vi.advanceTimersByTime(15_000);
            sockets[0]?.hear({ type: "pong" });
        }
        expect(sockets).toHaveLength(1);
    });

    it("GivesUpOnAConnectionThatNeverOpens", () => {
        vi.advanceTimersByTime(35_000);
        expect(socket.state).toBe("waiting");
    });

    it("ProvesAConnectionAfterSleepWithinThreeSeconds", () => {
        open();
        vi.advanceTimersByTime(10);
        socket.wake();
        vi.advanceTimersByTime(3_000);
        expect(socket.state).toBe("waiting");
    });
});
