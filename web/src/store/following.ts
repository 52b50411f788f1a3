// SPDX-License-Identifier: Apache-2.0
// Whether a reader follows the end of a list: from when they reach it until they scroll up themselves.

/** What is to be seen of a scrolled list. */
export interface Scrolled {
    readonly scrollTop: number;
    readonly scrollHeight: number;
    readonly clientHeight: number;
}

/** A reader a little above the end wants to stay there: only the end itself is the end. */
export const FOLLOWS_PX = 4;
/** Rows that grow and shrink in one go may move the list by this much more than its height tells. */
const SLACK_PX = 24;

export function distanceToEnd({ scrollTop, scrollHeight, clientHeight }: Scrolled): number {
    return scrollHeight - scrollTop - clientHeight;
}

export class Following {
    private isOn = true;
    private last: Scrolled = { scrollTop: 0, scrollHeight: 0, clientHeight: 0 };

    get isFollowing(): boolean {
        return this.isOn;
    }

    /** The list is put somewhere: at its end, or at a message. */
    place(at: "end" | "message"): void {
        this.isOn = at === "end";
    }

    /**
     * The reader begins to scroll up. Told before the list has moved: where an answer grows in the same frame, the
     * step up alone can't be told from what grew, and the reader would be pulled back again and again. The list as it
     * is now: that it was put at its end a moment ago is still to be heard of, and is no return of the reader's.
     */
    leave({ scrollTop, scrollHeight, clientHeight }: Scrolled): void {
        this.last = { scrollTop, scrollHeight, clientHeight };
        this.isOn = false;
    }

    /** Told of every scroll and every change of size. */
    moved({ scrollTop, scrollHeight, clientHeight }: Scrolled): void {
        const now = { scrollTop, scrollHeight, clientHeight };
        const up = this.last.scrollTop - scrollTop;
        const grown =
            Math.abs(scrollHeight - this.last.scrollHeight) +
            Math.abs(clientHeight - this.last.clientHeight);
        this.last = now;
        // What rows that change their height move is no wish of the reader.
        const isReader = grown === 0 ? up > 0 : up > grown + SLACK_PX;
        const hasComeDown = up < 0 || grown > 0;
        if (distanceToEnd(now) <= FOLLOWS_PX && hasComeDown) {
            this.isOn = true;
        } else if (isReader) {
            this.isOn = false;
        }
    }
}
