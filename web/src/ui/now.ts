// SPDX-License-Identifier: Apache-2.0
// One clock for all relative times: it ticks twice a minute, and only while somebody looks.
import { Observable } from "../store/observable";
import { useReadable } from "./useReadable";

const TICK_MS = 30_000;
const clock = new Observable(Date.now());

function tick(): void {
    if (document.visibilityState === "visible") {
        clock.set(Date.now());
    }
}

setInterval(tick, TICK_MS);
document.addEventListener("visibilitychange", tick);

export function useNow(): number {
    return useReadable(clock);
}
