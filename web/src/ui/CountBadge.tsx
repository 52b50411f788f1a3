// SPDX-License-Identifier: Apache-2.0
// How much is unread, and whether one is meant: the mention has its own sign.
import { useTranslations } from "use-intl";
import type { Counts } from "../store/unread";
import styles from "./CountBadge.module.css";

const MOST = 99;

export function CountBadge({ counts }: { counts: Counts }) {
    const t = useTranslations("nav");
    if (counts.unread === 0) {
        return null;
    }
    const isMeant = counts.mentions > 0;
    const spoken = [
        t("unread", { count: counts.unread }),
        isMeant ? t("mentions", { count: counts.mentions }) : "",
    ].join(" ");
    return (
        <span data-badge="" className={`${styles.badge} ${isMeant ? styles.meant : ""}`}>
            <span aria-hidden="true">
                {isMeant && "@"}
                {counts.unread > MOST ? `${MOST}+` : counts.unread}
            </span>
            <span className="hidden-visually">{spoken}</span>
        </span>
    );
}
