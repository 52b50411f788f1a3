// SPDX-License-Identifier: Apache-2.0
// The one socket of a tab: connects again by itself and resumes every topic where it stood.
import type { NewEvent, RealtimeType, RoomEvent } from "../api/model";
import { Problem } from "../api/problem";
import { backoff } from "./backoff";
import { type ClientFrame, parseFrame, type ServerFrame } from "./frames";
import { formatPosition, further, type Position, parsePosition } from "./position";

/** The part of a browser's WebSocket that is used, so that tests can bring their own. */
export type SocketLike = Pick<WebSocket, "send" | "close" | "onmessage" | "onclose">;

/** `refused` is final: the session is gone and only a new login helps. */
export type ConnectionState = "connecting" | "open" | "waiting" | "refused" | "closed";

/** What a topic's frames are: everything but the answers to single requests. */
export type TopicFrame = Extract<
    ServerFrame,
    {
        type:
            | "event"
            | "erased"
            | "resync"
            | "ended"
            | "realtime"
            | "unread"
            | "rooms_changed"
            | "session_changed";
    }
>;

export interface TopicListener {
    /** In order and without repeats. After a `resync` nothing comes until `resume`. */
    onFrame(frame: TopicFrame): void;
    /** The server has the subscription, for the first time or again. */
    onSubscribed?(): void;
}

export interface Subscription {
    /** Goes on after this position, when what was held had to be loaded anew. */
    resume(position: Position): void;
    close(): void;
}

export interface SocketOptions {
    connect: () => SocketLike;
    random?: () => number;
    onState?: (state: ConnectionState) => void;
}

/** The connection went before the answer: what was sent may or may not have been taken. */
export class ConnectionLost extends Error {}

const CLOSE_GOING_AWAY = 1001;
const CLOSE_NO_ACCESS = 1008;
const CLOSE_TOO_BIG = 1009;
const CLOSE_BAD_FRAME = 4400;

const SILENCE_MS = 35_000;
const DEFAULT_HEARTBEAT_MS = 15_000;
/** How soon a connection that may have died in the machine's sleep must prove itself. */
const WAKE_PROOF_MS = 3_000;
/** A connection that lasted this long was a good one: the next attempt starts from the beginning. */
const GOOD_CONNECTION_MS = 5_000;

/** How long a topic rests that the server could not serve, when it named no time. */
const ASK_AGAIN_MS = 2_000;

const TRANSIENT_ENDS = new Set(["draining", "slow"]);

interface Topic {
    name: string;
    listener: TopicListener;
    position: Position | undefined;
    /** `held`: waits for `resume`; `asked`: subscribed, not yet confirmed. */
    phase: "held" | "asked" | "live";
}

interface Send {
    resolve: (event: RoomEvent) => void;
    reject: (reason: unknown) => void;
}

export class TabSocket {
    private readonly options: SocketOptions;
    private readonly topics = new Map<string, Topic>();
    private readonly sends = new Map<string, Send>();
    private socket: SocketLike | undefined;
    private current: ConnectionState = "closed";
    private attempt = 0;
    private openedAt = 0;
    private heardAt = 0;
    private heartbeatMs = DEFAULT_HEARTBEAT_MS;
    private lastRef = 0;
    private retryTimer: ReturnType<typeof setTimeout> | undefined;
    private beatTimer: ReturnType<typeof setTimeout> | undefined;

    constructor(options: SocketOptions) {
        this.options = options;
    }

    get state(): ConnectionState {
        return this.current;
    }

    start(): void {
        if (this.current === "closed") {
            this.connect();
        }
    }

    stop(): void {
        this.drop();
        this.enter("closed");
        this.failSends(new ConnectionLost());
        this.topics.clear();
    }

    /** The network is back or somebody looks at the page: no reason to wait any longer. */
    wake(): void {
        if (this.current === "waiting") {
            this.connect();
        } else if (this.current === "open") {
            this.say({ type: "ping", ref: this.nextRef() });
            this.watch(WAKE_PROOF_MS, Date.now());
        }
    }

    subscribe(name: string, after: Position | undefined, listener: TopicListener): Subscription {
        const topic: Topic = { name, listener, position: after, phase: "asked" };
        this.topics.set(name, topic);
        this.ask(topic);
        return {
            resume: (position) => {
                if (this.topics.get(name) === topic) {
                    topic.position = position;
                    topic.phase = "asked";
                    this.tell({ type: "unsubscribe", topic: name });
                    this.ask(topic);
                }
            },
            close: () => {
                if (this.topics.get(name) === topic) {
                    this.topics.delete(name);
                    this.tell({ type: "unsubscribe", topic: name });
                }
            },
        };
    }

    /** Resolves once the event is committed; ends with a Problem, or ConnectionLost. */
    send(roomId: string, event: NewEvent): Promise<RoomEvent> {
        if (this.current !== "open") {
            return Promise.reject(new ConnectionLost());
        }
        const ref = this.nextRef();
        const sent = new Promise<RoomEvent>((resolve, reject) => {
            this.sends.set(ref, { resolve, reject });
        });
        this.say({ type: "send", ref, room_id: roomId, event });
        return sent;
    }

    /** Something nobody keeps: without a connection it is simply not said. */
    sendRealtime(roomId: string, type: RealtimeType, data: Record<string, unknown>): void {
        this.tell({ type: "realtime", room_id: roomId, event: { type, data } });
    }

    private connect(): void {
        clearTimeout(this.retryTimer);
        this.enter("connecting");
        const socket = this.options.connect();
        this.socket = socket;
        socket.onmessage = (message) => {
            if (typeof message.data === "string") {
                this.hear(message.data);
            }
        };
        socket.onclose = (closed) => this.lost(closed.code);
        this.heardAt = Date.now();
        this.watch(SILENCE_MS, this.heardAt);
    }

    private hear(text: string): void {
        this.heardAt = Date.now();
        const frame = parseFrame(text);
        switch (frame?.type) {
            case "hello":
                this.opened(frame.heartbeat_seconds);
                break;
            case "sent":
                this.settle(frame.ref)?.resolve(frame.event);
                break;
            case "problem":
                this.refused(frame);
                break;
            case "subscribed":
                this.subscribed(frame.topic, frame.position);
                break;
            case "event":
            case "erased":
                this.advance(frame);
                break;
            case "resync":
            case "ended":
                this.interrupt(frame);
                break;
            case "realtime":
            case "unread":
            case "rooms_changed":
            case "session_changed":
                this.topics.get(frame.topic)?.listener.onFrame(frame);
                break;
        }
    }

    private opened(heartbeatSeconds: number | undefined): void {
        this.openedAt = Date.now();
        this.heartbeatMs = heartbeatSeconds ? heartbeatSeconds * 1000 : DEFAULT_HEARTBEAT_MS;
        this.enter("open");
        this.beat();
        for (const topic of this.topics.values()) {
            if (topic.phase !== "held") {
                topic.phase = "asked";
                this.ask(topic);
            }
        }
    }

    private subscribed(name: string, position: string | undefined): void {
        const topic = this.topics.get(name);
        if (topic?.phase !== "asked") {
            return;
        }
        topic.phase = "live";
        topic.position ??= position === undefined ? undefined : parsePosition(position);
        topic.listener.onSubscribed?.();
    }

    /** Passes on what is new. Positions, not gaps, tell: an index may belong to what one may not see. */
    private advance(frame: Extract<ServerFrame, { type: "event" | "erased" }>): void {
        const topic = this.topics.get(frame.topic);
        if (topic?.phase !== "live") {
            return;
        }
        const at = parsePosition(frame.id);
        if (!at) {
            return;
        }
        const held = topic.position;
        const isRepeat = held?.epoch === at.epoch && at.index <= held.index;
        topic.position = further(held, at);
        // An erasure speaks of an older index by its nature, and repeating it changes nothing.
        if (!isRepeat || frame.type === "erased") {
            topic.listener.onFrame(frame);
        }
    }

    private interrupt(frame: Extract<ServerFrame, { type: "resync" | "ended" }>): void {
        const topic = this.topics.get(frame.topic);
        if (!topic) {
            return;
        }
        if (frame.type === "ended" && TRANSIENT_ENDS.has(frame.reason)) {
            // The topic is still ours, only this server or this connection can't serve it any more.
            this.lost(CLOSE_GOING_AWAY);
            return;
        }
        topic.phase = "held";
        topic.listener.onFrame(frame);
    }

    private refused(frame: Extract<ServerFrame, { type: "problem" }>): void {
        if (frame.ref !== undefined) {
            this.settle(frame.ref)?.reject(new Problem(frame.problem));
        } else if (frame.topic !== undefined && frame.problem.retryable) {
            this.askLater(frame.topic, frame.problem.retry_after);
        } else if (frame.topic !== undefined) {
            this.interrupt({ type: "ended", topic: frame.topic, reason: "access_removed" });
        }
    }

    private lost(code: number): void {
        const wasGood = this.current === "open" && Date.now() - this.openedAt >= GOOD_CONNECTION_MS;
        this.drop();
        this.failSends(this.reasonOf(code));
        if (code === CLOSE_NO_ACCESS) {
            this.enter("refused");
            return;
        }
        this.attempt = wasGood || code === CLOSE_GOING_AWAY ? 0 : this.attempt + 1;
        this.enter("waiting");
        const delay = backoff(this.attempt, this.options.random ?? Math.random);
        this.retryTimer = setTimeout(() => this.connect(), delay);
    }

    /** A frame that the server can't take would be refused for ever: it must not be repeated. */
    private reasonOf(code: number): Error {
        if (code === CLOSE_TOO_BIG || code === CLOSE_BAD_FRAME) {
            return new Problem({ code: "PAYLOAD_TOO_LARGE", status: 413 });
        }
        return new ConnectionLost();
    }

    private drop(): void {
        clearTimeout(this.retryTimer);
        clearTimeout(this.beatTimer);
        if (this.socket) {
            this.socket.onmessage = null;
            this.socket.onclose = null;
            this.socket.close();
            this.socket = undefined;
        }
    }

    /** Asks for a sign of life when it has been quiet, and gives up on a connection that shows none. */
    private beat(): void {
        clearTimeout(this.beatTimer);
        this.beatTimer = setTimeout(() => {
            const quiet = Date.now() - this.heardAt;
            if (quiet >= SILENCE_MS) {
                this.lost(CLOSE_GOING_AWAY);
                return;
            }
            if (quiet >= this.heartbeatMs) {
                this.say({ type: "ping", ref: this.nextRef() });
            }
            this.beat();
        }, this.heartbeatMs / 3);
    }

    /** Ends the connection unless something is heard after `since` within the time. */
    private watch(withinMs: number, since: number): void {
        clearTimeout(this.beatTimer);
        this.beatTimer = setTimeout(() => {
            if (this.heardAt <= since) {
                this.lost(CLOSE_GOING_AWAY);
            } else if (this.current === "open") {
                this.beat();
            }
        }, withinMs);
    }

    private ask(topic: Topic): void {
        const after = topic.position && formatPosition(topic.position);
        this.tell({
            type: "subscribe",
            topic: topic.name,
            ...(after === undefined ? {} : { after }),
        });
    }

    /** The server can't serve the topic just now: that says nothing about the topic. */
    private askLater(name: string, afterSeconds: number | undefined): void {
        const topic = this.topics.get(name);
        const socket = this.socket;
        const delay = afterSeconds === undefined ? ASK_AGAIN_MS : afterSeconds * 1000;
        setTimeout(() => {
            const isCurrent = this.topics.get(name) === topic && this.socket === socket;
            if (topic?.phase === "asked" && isCurrent) {
                this.ask(topic);
            }
        }, delay);
    }

    private tell(frame: ClientFrame): void {
        if (this.current === "open") {
            this.say(frame);
        }
    }

    private say(frame: ClientFrame): void {
        this.socket?.send(JSON.stringify(frame));
    }

    private settle(ref: string): Send | undefined {
        const send = this.sends.get(ref);
        this.sends.delete(ref);
        return send;
    }

    private failSends(reason: Error): void {
        const sends = [...this.sends.values()];
        this.sends.clear();
        for (const send of sends) {
            send.reject(reason);
        }
    }

    private nextRef(): string {
        this.lastRef += 1;
        return `c${this.lastRef}`;
    }

    private enter(state: ConnectionState): void {
        if (this.current !== state) {
            this.current = state;
            this.options.onState?.(state);
        }
    }
}
