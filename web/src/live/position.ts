// SPDX-License-Identifier: Apache-2.0
// Where a reader stands in a room's timeline: an index, and the epoch once a repair renumbered it.

export interface Position {
    epoch: number;
    index: number;
}

/** Reads `13` or `2-13`; undefined for anything else. */
export function parsePosition(text: string): Position | undefined {
    const parts = /^(?:(\d+)-)?(-?\d+)$/.exec(text);
    if (!parts) {
        return undefined;
    }
    return { epoch: Number(parts[1] ?? 0), index: Number(parts[2]) };
}

export function formatPosition(position: Position): string {
    return position.epoch > 0 ? `${position.epoch}-${position.index}` : String(position.index);
}

/** The later of the two; another epoch always replaces. */
export function further(held: Position | undefined, next: Position): Position {
    if (!held || held.epoch !== next.epoch) {
        return next;
    }
    return next.index > held.index ? next : held;
}
