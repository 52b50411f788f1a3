// SPDX-License-Identifier: Apache-2.0
// What the person was told and has not read: each leads to what it is about, and goes when it was read.
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslations } from "use-intl";
import { markAllNotificationsRead, markNotificationRead } from "../../api/calls";
import type { Notification } from "../../api/model";
import { NOTIFICATIONS } from "../../store/news";
import { Button } from "../../ui/Button";
import { ProblemNote } from "../../ui/ProblemNote";
import { useAction } from "../../ui/useAction";
import { NoticeRow } from "./NoticeRow";
import styles from "./Notices.module.css";

export interface NoticesProps {
    title: string;
    notifications: readonly Notification[];
    /** There are more than are shown. */
    hasMore: boolean;
}

export function Notices({ title, notifications, hasMore }: NoticesProps) {
    const t = useTranslations("notices");
    const queries = useQueryClient();
    const { isBusy, problem, run } = useAction();
    const heading = useRef<HTMLHeadingElement>(null);

    function mark(marking: () => Promise<unknown>): void {
        void run(async () => {
            try {
                await marking();
            } finally {
                await queries.invalidateQueries({ queryKey: [NOTIFICATIONS] });
            }
            // The button that had the focus is gone with its row.
            heading.current?.focus();
        });
    }

    return (
        <section className={styles.section} aria-label={title}>
            <header className={styles.header}>
                <h2 ref={heading} tabIndex={-1}>
                    {title}
                </h2>
                {notifications.length > 1 && (
                    <Button
                        look="quiet"
                        isDisabled={isBusy}
                        onPress={() => mark(markAllNotificationsRead)}
                    >
                        {t("markAll")}
                    </Button>
                )}
            </header>
            {problem && <ProblemNote problem={problem} />}
            <ul className={styles.list}>
                {notifications.map((one) => (
                    <NoticeRow
                        key={one.id}
                        notification={one}
                        isBusy={isBusy}
                        onRead={() => mark(() => markNotificationRead(one.id))}
                    />
                ))}
            </ul>
            {hasMore && <p className={styles.more}>{t("more")}</p>}
        </section>
    );
}
