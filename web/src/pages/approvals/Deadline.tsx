// SPDX-License-Identifier: Apache-2.0
// Until when something is to be decided, in words; in seconds when it comes to them.
import { useEffect, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useNow } from "../../ui/now";
import { useZone } from "../../ui/Time";

const MINUTE_MS = 60_000;
/** From here on people look at the seconds. */
const SOON_MS = 2 * MINUTE_MS;

function useSeconds(isSoon: boolean): number {
    const slow = useNow();
    const [fast, setFast] = useState(0);
    useEffect(() => {
        if (!isSoon) {
            return;
        }
        const tick = () => setFast(Date.now());
        tick();
        const timer = setInterval(tick, 1_000);
        return () => clearInterval(timer);
    }, [isSoon]);
    return Math.max(slow, fast);
}

export function Deadline({ at }: { at: string }) {
    const t = useTranslations("approvals");
    const format = useFormatter();
    const timeZone = useZone();
    const end = new Date(at);
    const isSoon = end.getTime() - useNow() < SOON_MS;
    const now = useSeconds(isSoon);
    const exact = format.dateTime(end, { dateStyle: "full", timeStyle: "medium", timeZone });
    const left = end.getTime() - now;
    return (
        <time dateTime={at} title={exact} data-soon={isSoon || undefined}>
            {left <= 0
                ? t("timeOver")
                : t("expires", {
                      when: format.relativeTime(end, {
                          now,
                          ...(left < MINUTE_MS && { unit: "second" }),
                      }),
                  })}
        </time>
    );
}
