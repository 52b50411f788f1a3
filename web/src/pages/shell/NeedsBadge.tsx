// SPDX-License-Identifier: Apache-2.0
// How much waits for the person in the inbox; spoken, it says of which kinds.
import { useFormatter, useTranslations } from "use-intl";
import styles from "../../ui/CountBadge.module.css";
import { useNeedsMe } from "../approvals/useNeedsMe";

const MOST = 99;

export function NeedsBadge() {
    const t = useTranslations("needs");
    const nav = useTranslations("nav");
    const format = useFormatter();
    const { approvals, questions, notifications, mentions } = useNeedsMe();
    const total = approvals + questions + notifications + mentions;
    if (total === 0) {
        return null;
    }
    const parts = [
        approvals > 0 && t("approvals", { count: approvals }),
        questions > 0 && t("questions", { count: questions }),
        notifications > 0 && t("notifications", { count: notifications }),
        mentions > 0 && nav("mentions", { count: mentions }),
    ].filter((part) => part !== false);
    return (
        <span data-badge="" className={`${styles.badge} ${styles.meant}`}>
            <span aria-hidden="true">
                {total === mentions && "@"}
                {total > MOST ? `${MOST}+` : total}
            </span>
            <span className="hidden-visually">{format.list(parts)}</span>
        </span>
    );
}
