// SPDX-License-Identifier: Apache-2.0
// What was begun and not sent, for each room and each thread.
import { recall, remember } from "./memory";
import { Observable, type Readable } from "./observable";

function keyOf(userId: string, roomId: string, thread: string): string {
    return `convene.draft.${userId}.${roomId}.${thread}`;
}

export class Drafts {
    private readonly userId: string;
    /** Raised with every change of whether a room has a draft, so that the list can mark it. */
    private readonly marks = new Observable(0);

    constructor(userId: string) {
        this.userId = userId;
    }

    get version(): Readable<number> {
        return this.marks;
    }

    get(roomId: string, thread: string): string {
        return recall(keyOf(this.userId, roomId, thread)) ?? "";
    }

    set(roomId: string, thread: string, text: string): void {
        const had = this.get(roomId, thread) !== "";
        remember(keyOf(this.userId, roomId, thread), text);
        if (had !== (text !== "")) {
            this.marks.update((version) => version + 1);
        }
    }
}
