// SPDX-License-Identifier: Apache-2.0
// Deletions that can still be undone: nothing is asked of the server before the time is up.
import { deleteEvent } from "../api/calls";
import { type Problem, problemOf } from "../api/problem";
import { Observable, type Readable } from "./observable";

export const UNDO_MS = 5_000;

/** `counting` can be undone, `asked` waits for the server, a problem is what it answered. */
export type Deletion = "counting" | "asked" | Problem;

export class Deletions {
    private readonly roomId: string;
    private readonly state = new Observable<ReadonlyMap<string, Deletion>>(new Map());
    private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

    constructor(roomId: string) {
        this.roomId = roomId;
    }

    get byEvent(): Readable<ReadonlyMap<string, Deletion>> {
        return this.state;
    }

    begin(eventId: string): void {
        this.put(eventId, "counting");
        this.timers.set(
            eventId,
            setTimeout(() => void this.carryOut(eventId), UNDO_MS),
        );
    }

    undo(eventId: string): void {
        clearTimeout(this.timers.get(eventId));
        this.timers.delete(eventId);
        this.put(eventId, undefined);
    }

    /** The page goes: what was not undone is what the person wanted. */
    flush(): void {
        for (const [eventId, timer] of this.timers) {
            clearTimeout(timer);
            void deleteEvent(this.roomId, eventId, true).catch(() => undefined);
        }
        this.timers.clear();
    }

    private async carryOut(eventId: string): Promise<void> {
        this.timers.delete(eventId);
        this.put(eventId, "asked");
        try {
            await deleteEvent(this.roomId, eventId);
            this.put(eventId, undefined);
        } catch (thrown) {
            this.put(eventId, problemOf(thrown));
        }
    }

    private put(eventId: string, deletion: Deletion | undefined): void {
        this.state.update((held) => {
            const next = new Map(held);
            if (deletion === undefined) {
                next.delete(eventId);
            } else {
                next.set(eventId, deletion);
            }
            return next;
        });
    }
}
