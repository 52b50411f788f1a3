// SPDX-License-Identifier: Apache-2.0
// A moment: in words of distance while it is near, as a clock time afterwards, exact on hover.
import { useFormatter, useTranslations } from "use-intl";
import { preferences } from "../store/preferences";
import { useNow } from "./now";
import { useReadable } from "./useReadable";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The zone that times are shown in: undefined is the browser's own. */
export function useZone(): string | undefined {
    return useReadable(preferences).time === "utc" ? "UTC" : undefined;
}

export interface TimeProps {
    at: string;
    /**
     * `clock` fits where the day is known; `distance` says the day, too, when it is not today;
     * `moment` always says both, `day` nothing but the day; `ahead` is the distance of what comes within the hour.
     */
    as: "clock" | "distance" | "moment" | "day" | "ahead";
}

export function Time({ at, as }: TimeProps) {
    const t = useTranslations("time");
    const format = useFormatter();
    const timeZone = useZone();
    const now = useNow();
    const date = new Date(at);
    const exact = format.dateTime(date, { dateStyle: "full", timeStyle: "medium", timeZone });
    const age = now - date.getTime();
    const clock = format.dateTime(date, { timeStyle: "short", timeZone });
    let shown = clock;
    if (as === "moment") {
        shown = format.dateTime(date, { dateStyle: "medium", timeStyle: "short", timeZone });
    } else if (as === "day") {
        shown = format.dateTime(date, { dateStyle: "medium", timeZone });
    } else if (as === "ahead") {
        shown = format.relativeTime(date, { now, unit: "minute" });
    } else if (as === "distance" && age >= DAY_MS) {
        shown = format.dateTime(date, { month: "short", day: "numeric", timeZone });
    } else if (as === "distance" && age < MINUTE_MS) {
        shown = t("now");
    } else if (as === "distance" && age < HOUR_MS) {
        shown = format.relativeTime(date, { now, unit: "minute", style: "short" });
    }
    return (
        <time dateTime={at} title={exact}>
            {shown}
        </time>
    );
}
