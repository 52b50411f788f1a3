// SPDX-License-Identifier: Apache-2.0
// How long something takes, in words: in the unit that needs few digits, and its half where it is short.
import { useFormatter } from "use-intl";

const UNITS = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
    ["second", 1_000],
    ["millisecond", 1],
] as const;

export function useDuration(): (milliseconds: number) => string {
    const format = useFormatter();
    return (milliseconds) => {
        const at = UNITS.findIndex(([, length]) => milliseconds >= length);
        const [unit, length] = UNITS[at] ?? (["millisecond", 1] as const);
        const value = milliseconds / length;
        const isShort = unit === "second" || unit === "millisecond";
        const whole = isShort ? value : Math.floor(value);
        const shown = (count: number, of: string) =>
            format.number(count, {
                style: "unit",
                unit: of,
                unitDisplay: "short",
                maximumFractionDigits: of === "second" && count < 10 ? 1 : 0,
            });
        const smaller = UNITS[at + 1];
        // "1 hr 5 min", but no seconds beside a quarter of an hour.
        if (!smaller || isShort || whole >= 10) {
            return shown(whole, unit);
        }
        const rest = Math.floor((milliseconds - whole * length) / smaller[1]);
        return rest === 0 ? shown(whole, unit) : `${shown(whole, unit)} ${shown(rest, smaller[0])}`;
    };
}
