// SPDX-License-Identifier: Apache-2.0
// Says that the page may be old, and since when: only if reconnecting takes a moment.
import { useEffect, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useZone } from "../../ui/Time";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "./SessionContext";
import styles from "./StaleBar.module.css";

/** Shorter than this is a hiccup that nobody needs to hear of. */
const AFTER_MS = 2_000;

export function StaleBar() {
    const t = useTranslations("connection");
    const format = useFormatter();
    const timeZone = useZone();
    const isOpen = useReadable(useSession().connection) === "open";
    const [since, setSince] = useState<Date>();
    useEffect(() => {
        if (isOpen) {
            setSince(undefined);
            return;
        }
        const lost = new Date();
        const timer = setTimeout(() => setSince(lost), AFTER_MS);
        return () => clearTimeout(timer);
    }, [isOpen]);
    if (!since) {
        return null;
    }
    const time = format.dateTime(since, { timeStyle: "medium", timeZone });
    return (
        <p role="status" className={styles.bar} data-testid="stale-bar">
            <span aria-hidden="true">◔</span> {t("stale", { time })}
        </p>
    );
}
