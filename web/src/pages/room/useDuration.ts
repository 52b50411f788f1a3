// SPDX-License-Identifier: Apache-2.0
// How long something took, or takes so far, in words; undefined where that is not known.
import { useEffect, useState } from "react";
import { useFormatter } from "use-intl";

const TICK_MS = 1_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Counts while it goes on: from the second on in which it can be called long. */
function useElapsed(since: number | undefined): number | undefined {
    const [now, setNow] = useState(Date.now);
    useEffect(() => {
        if (since === undefined) {
            return;
        }
        const timer = setInterval(() => setNow(Date.now()), TICK_MS);
        return () => clearInterval(timer);
    }, [since]);
    return since === undefined || now - since < SECOND_MS ? undefined : now - since;
}

export function useDuration(
    doneMs: number | undefined,
    since: number | undefined,
): string | undefined {
    const format = useFormatter();
    const ms = useElapsed(since) ?? doneMs;
    if (ms === undefined) {
        return undefined;
    }
    const unit = (value: number, name: "second" | "minute", maximumFractionDigits: number) =>
        format.number(value, {
            style: "unit",
            unit: name,
            unitDisplay: "short",
            maximumFractionDigits,
        });
    if (ms < MINUTE_MS) {
        return unit(ms / SECOND_MS, "second", ms < 10 * SECOND_MS && since === undefined ? 1 : 0);
    }
    const seconds = Math.round((ms % MINUTE_MS) / SECOND_MS);
    return `${unit(Math.floor(ms / MINUTE_MS), "minute", 0)} ${unit(seconds, "second", 0)}`;
}
