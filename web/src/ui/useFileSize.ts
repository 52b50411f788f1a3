// SPDX-License-Identifier: Apache-2.0
// How large a file is, in words: in the unit that needs few digits.
import { useFormatter } from "use-intl";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"];

export function useFileSize(): (bytes: number) => string {
    const format = useFormatter();
    return (bytes) => {
        let value = bytes;
        let unit = 0;
        // What would be rounded up to a thousand is one of the next unit.
        while (value >= 999.5 && unit < UNITS.length - 1) {
            value /= 1000;
            unit += 1;
        }
        return format.number(value, {
            style: "unit",
            unit: UNITS[unit],
            unitDisplay: "short",
            maximumFractionDigits: value < 10 ? 1 : 0,
        });
    };
}
