// SPDX-License-Identifier: Apache-2.0
// Where a day begins.
import { useFormatter } from "use-intl";
import { useZone } from "../../ui/Time";
import styles from "./Separators.module.css";

export function DaySeparator({ at }: { at: string }) {
    const format = useFormatter();
    const timeZone = useZone();
    return (
        <p className={styles.day}>
            <span>
                {format.dateTime(new Date(at), {
                    weekday: "short",
                    year: "numeric",
                    month: "long",
                    day: "numeric",
                    timeZone,
                })}
            </span>
        </p>
    );
}
