// SPDX-License-Identifier: Apache-2.0
// How much is unread in which room, as the server counts it.
import { fetchUnread } from "../api/calls";
import { Observable, type Readable } from "./observable";

export interface Counts {
    readonly unread: number;
    readonly mentions: number;
}

const nothing: Counts = { unread: 0, mentions: 0 };
/** Few at a time: the browser has six connections, and opening a room must not wait behind these. */
const AT_ONCE = 3;

export class UnreadCounts {
    private readonly state = new Observable<ReadonlyMap<string, Counts>>(new Map());
    private queue: string[] = [];
    private active = 0;

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
            } catch {
                // The number stays what it was; the next change or reconnect corrects it.
            }
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
