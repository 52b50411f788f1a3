// SPDX-License-Identifier: Apache-2.0
// What a person sent and the server has not confirmed: kept over reloads, sent once, in order.
import type { MediaContent, NewEvent, RoomEvent } from "../api/model";
import { Problem } from "../api/problem";
import { ConnectionLost } from "../live/socket";
import { contentOf } from "./content";
import { Observable, type Readable } from "./observable";

/** A message that starts a run of the room's agent is known by this beginning of its key, also to the server. */
export const TURN_KEY = "agui:";

export interface OutboxEntry {
    /** The idempotency key: however often it is sent, the room gets it once. */
    readonly key: string;
    readonly roomId: string;
    readonly thread: string;
    readonly body: string;
    /** The participants whom the text names. */
    readonly mentions: readonly string[];
    readonly files: readonly MediaContent[];
    readonly createdAt: number;
    /** `refused` waits for the person: to try again, to change it, or to give it up. */
    readonly state: "waiting" | "sending" | "refused";
    readonly problem?: Problem;
}

/** Where entries survive a reload. */
export interface OutboxStorage {
    load(): Promise<OutboxEntry[]>;
    put(entry: OutboxEntry): Promise<void>;
    remove(key: string): Promise<void>;
}

export interface OutboxOptions {
    storage: OutboxStorage;
    /** Undefined: the room had it already. */
    send: (roomId: string, event: NewEvent) => Promise<RoomEvent | undefined>;
    /** Called with what was committed, so that the timeline has it even before the tail. */
    onSent: (event: RoomEvent) => void;
    newKey?: () => string;
}

const RETRY_MS = 2_000;

function asEvent(entry: OutboxEntry): NewEvent {
    return {
        content: contentOf(entry),
        idempotency_key: entry.key,
        ...(entry.thread === "" ? {} : { parent_event_id: entry.thread }),
        ...(entry.mentions.length > 0 ? { metadata: { mentions: entry.mentions } } : {}),
    };
}

export class Outbox {
    private readonly options: OutboxOptions;
    private readonly state = new Observable<readonly OutboxEntry[]>([]);
    private readonly busyRooms = new Set<string>();
    private isConnected = false;
    private isStopped = false;

    constructor(options: OutboxOptions) {
        this.options = options;
    }

    get entries(): Readable<readonly OutboxEntry[]> {
        return this.state;
    }

    /** Takes up what an earlier page left. */
    async load(): Promise<void> {
        const left = await this.options.storage.load();
        const known = new Set(this.state.get().map((entry) => entry.key));
        const added = left.filter((entry) => !known.has(entry.key));
        this.state.update((entries) =>
            [...added, ...entries].sort((a, b) => a.createdAt - b.createdAt),
        );
        this.pumpAll();
    }

    add(
        roomId: string,
        thread: string,
        body: string,
        mentions: readonly string[] = [],
        files: readonly MediaContent[] = [],
        kind: "message" | "turn" = "message",
    ): void {
        const made = (this.options.newKey ?? (() => crypto.randomUUID()))();
        const key = kind === "turn" ? TURN_KEY + made : made;
        const entry: OutboxEntry = {
            key,
            roomId,
            thread,
            body,
            mentions,
            files,
            createdAt: Date.now(),
            state: "waiting",
        };
        this.state.update((entries) => [...entries, entry]);
        // Not awaited: a page without storage still sends.
        void this.options.storage.put(entry).catch(() => undefined);
        void this.pump(roomId);
    }

    /** Sends a refused entry again, under the same key. */
    retry(key: string): void {
        const entry = this.change(key, { state: "waiting", problem: undefined });
        if (entry) {
            void this.pump(entry.roomId);
        }
    }

    discard(key: string): void {
        this.state.update((entries) => entries.filter((entry) => entry.key !== key));
        void this.options.storage.remove(key).catch(() => undefined);
    }

    /** The tail may show an event before its answer comes: whichever is first ends the entry. */
    confirm(event: RoomEvent): void {
        const key = event.idempotency_key;
        if (key && this.state.get().some((entry) => entry.key === key)) {
            this.discard(key);
        }
    }

    connected(isConnected: boolean): void {
        this.isConnected = isConnected;
        if (isConnected) {
            this.pumpAll();
        }
    }

    stop(): void {
        this.isStopped = true;
    }

    private pumpAll(): void {
        for (const roomId of new Set(this.state.get().map((entry) => entry.roomId))) {
            void this.pump(roomId);
        }
    }

    /** One at a time in a room, so that the room gets them in the order in which they were written. */
    private async pump(roomId: string): Promise<void> {
        if (this.busyRooms.has(roomId)) {
            return;
        }
        this.busyRooms.add(roomId);
        while (this.isConnected && !this.isStopped) {
            const next = this.state
                .get()
                .find((entry) => entry.roomId === roomId && entry.state === "waiting");
            if (!next) {
                break;
            }
            await this.sendOne(next);
        }
        this.busyRooms.delete(roomId);
    }

    private async sendOne(entry: OutboxEntry): Promise<void> {
        this.change(entry.key, { state: "sending" });
        try {
            const event = await this.options.send(entry.roomId, asEvent(entry));
            if (event) {
                this.options.onSent(event);
            }
            this.discard(entry.key);
        } catch (thrown) {
            await this.failed(entry.key, thrown);
        }
    }

    private async failed(key: string, thrown: unknown): Promise<void> {
        if (thrown instanceof ConnectionLost) {
            // Whether it was taken is not known. The key makes sending it again safe.
            this.isConnected = false;
            this.change(key, { state: "waiting" });
            return;
        }
        const problem = thrown instanceof Problem ? thrown : undefined;
        if (problem?.retryable) {
            this.change(key, { state: "waiting", problem });
            const delay = problem.retryAfter === undefined ? RETRY_MS : problem.retryAfter * 1000;
            await new Promise((resolve) => setTimeout(resolve, delay));
            return;
        }
        this.change(key, { state: "refused", problem });
    }

    private change(key: string, change: Partial<OutboxEntry>): OutboxEntry | undefined {
        this.state.update((entries) =>
            entries.map((entry) => (entry.key === key ? { ...entry, ...change } : entry)),
        );
        return this.state.get().find((entry) => entry.key === key);
    }
}
