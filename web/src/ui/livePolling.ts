// SPDX-License-Identifier: Apache-2.0
// How a query asks again while somebody looks: quickly with the window in front, not at all when hidden.

const FOCUSED_MS = 2_000;
const BESIDE_MS = 10_000;

/** In milliseconds, until the next look. */
export function untilNextLook(): number {
    return document.hasFocus() ? FOCUSED_MS : BESIDE_MS;
}

export const livePolling = {
    staleTime: 0,
    refetchInterval: untilNextLook,
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: "always",
} as const;

/** For what has come to its end: nothing of it changes any more. */
export const settled = { staleTime: 15_000, refetchInterval: false } as const;
