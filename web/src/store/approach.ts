// SPDX-License-Identifier: Apache-2.0
// When older messages are asked for: one page for each time that the reader comes near the top.

/** Where the reader is, as far as asking for older messages goes. */
export interface Place {
    /** How far down the list is scrolled. */
    readonly top: number;
    readonly rowsAbove: number;
    /** The rows don't fill the screen: there is nothing to scroll. */
    readonly isShort: boolean;
}

/** Older messages are asked for while this many rows are still above. */
const ROWS_AHEAD = 12;

export class Approach {
    /** A page was asked for since the reader came near, and it may have brought no rows. */
    private isSpent = false;
    private lastTop = 0;

    /** Told of every change of place while nothing is on its way; whether a page is due. */
    moved({ top, rowsAbove, isShort }: Place): boolean {
        // What a page brings moves the list down, so only the reader moves it up here.
        const isGoingUp = top < this.lastTop;
        this.lastTop = top;
        if (isShort) {
            return true;
        }
        if (rowsAbove >= ROWS_AHEAD) {
            this.isSpent = false;
            return false;
        }
        const isDue = !this.isSpent || isGoingUp;
        this.isSpent = true;
        return isDue;
    }
}
