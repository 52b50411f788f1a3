// SPDX-License-Identifier: Apache-2.0
// How much is unread in which room, as the server counts it.
import { fetchUnread } from "../api/calls";
import { problemOf } from "../api/problem";
import { Observable, type Readable } from "./observable";

export interface Counts {
    readonly unread: number;
    readonly mentions: number;
}

const nothing: Counts = { unread: 0, mentions: 0 };
/** Few at a time: the browser has six connections, and opening a room must not wait behind these. */
const AT_ONCE = 3;
/** Some thirty a second then: who is in hundreds of rooms stays below what a server takes of one person. */
const PAUSE_MS = 100;

function pause(milliseconds: number): Promise<void> {
    return new Promise((done) => setTimeout(done, milliseconds));
}

export class UnreadCounts {
    private readonly state = new Observable<ReadonlyMap<string, Counts>>(new Map());
    private queue: string[] = [];
    private active = 0;
    /** Refused once for coming too soon. */
    private readonly putOff = new Set<string>();

    get counts(): Readable<ReadonlyMap<string, Counts>> {
        return this.state;
    }

    of(roomId: string): Counts {
        return this.state.get().get(roomId) ?? nothing;
    }

    set(roomId: string, { unread, mentions }: Counts): void {
        this.state.update((counts) => new Map(counts).set(roomId, { unread, mentions }));
    }

    /** Asks for rooms whose counts are not known; with `again`, for all of them. */
    refresh(roomIds: readonly string[], again: "again" | "missing"): void {
        const counts = this.state.get();
        const wanted = roomIds.filter((id) => again === "again" || !counts.has(id));
        this.queue = [...new Set([...this.queue, ...wanted])];
        while (this.active < AT_ONCE && this.queue.length > 0) {
            this.active += 1;
            void this.work();
        }
    }

    private async work(): Promise<void> {
        for (let id = this.queue.shift(); id !== undefined; id = this.queue.shift()) {
            const before = this.state.get().get(id);
            try {
                const counted = await fetchUnread(id);
                // What was told, or done here, meanwhile is newer than the answer.
                if (this.state.get().get(id) === before) {
                    this.set(id, counted);
                }
                this.putOff.delete(id);
            } catch (thrown) {
                const { retryAfter } = problemOf(thrown);
                // The second time the number stays what it was; the next change or reconnect corrects it.
                if (!this.putOff.delete(id) && retryAfter !== undefined) {
                    this.putOff.add(id);
                    this.queue.push(id);
                    await pause(retryAfter * 1000);
                }
            }
            await pause(PAUSE_MS);
        }
        this.active -= 1;
    }
}

export function totalUnread(counts: ReadonlyMap<string, Counts>): Counts {
    let total = nothing;
    for (const each of counts.values()) {
        total = { unread: total.unread + each.unread, mentions: total.mentions + each.mentions };
    }
    return total;
}
