// SPDX-License-Identifier: Apache-2.0
// How long to wait before the next attempt to connect.

const FIRST_CEILING_MS = 600;
const CEILING_MS = 30_000;
const FLOOR_MS = 300;

/**
 * Full jitter: anywhere between the floor and a ceiling that doubles with each attempt, so that the
 * tabs of a server that went away do not come back at the same moment.
 */
export function backoff(attempt: number, random: () => number): number {
    const ceiling = Math.min(CEILING_MS, FIRST_CEILING_MS * 2 ** Math.min(attempt, 16));
    return FLOOR_MS + random() * (ceiling - FLOOR_MS);
}
