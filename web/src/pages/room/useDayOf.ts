// SPDX-License-Identifier: Apache-2.0
// Names the day of a moment, in the zone that times are shown in.
import { useCallback, useMemo } from "react";
import { useZone } from "../../ui/Time";

export function useDayOf(): (at: Date) => string {
    const timeZone = useZone();
    const format = useMemo(
        // A fixed language: this names a day, and is never shown.
        () => new Intl.DateTimeFormat("en-CA", { dateStyle: "short", timeZone }),
        [timeZone],
    );
    return useCallback((at: Date) => format.format(at), [format]);
}
