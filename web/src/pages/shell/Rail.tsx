// SPDX-License-Identifier: Apache-2.0
// The rail: where one can go, whether the page is connected, and who one is.
import { Link, useRouterState } from "@tanstack/react-router";
import {
    Activity,
    Building2,
    Inbox,
    ListChecks,
    MessagesSquare,
    Search,
    Workflow,
} from "lucide-react";
import { Button as AriaButton } from "react-aria-components";
import { useTranslations } from "use-intl";
import { totalUnread } from "../../store/unread";
import { CountBadge } from "../../ui/CountBadge";
import { useReadable } from "../../ui/useReadable";
import { AccountMenu } from "./AccountMenu";
import { Connection } from "./Connection";
import { NeedsBadge } from "./NeedsBadge";
import styles from "./Rail.module.css";
import { useSession } from "./SessionContext";
import type { Overlay } from "./Shell";

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

export function Rail({ onOpen }: { onOpen: (overlay: Overlay) => void }) {
    const t = useTranslations("nav");
    const session = useSession();
    const { role } = session.me.user;
    const isAdmin = useRouterState({
        select: (state) => state.location.pathname.startsWith("/admin/"),
    });
    const total = totalUnread(useReadable(session.unread.counts));
    return (
        <nav aria-label={t("main")} className={styles.rail} data-region="">
            <p className={styles.brand}>
                <img src="/icon.svg" alt="" width={24} height={24} />
                <span className={styles.word}>{session.me.organization.name || "Convene"}</span>
            </p>
            <Link to="/inbox" className={styles.item}>
                <Inbox size={20} strokeWidth={1.75} aria-hidden="true" />
                <span className={styles.word}>{t("inbox")}</span>
                <NeedsBadge />
            </Link>
            <Link to="/rooms" className={styles.item}>
                <MessagesSquare size={20} strokeWidth={1.75} aria-hidden="true" />
                <span className={styles.word}>{t("rooms")}</span>
                <CountBadge counts={{ unread: total.unread, mentions: 0 }} />
            </Link>
            <Link to="/workflows" className={`${styles.item} ${styles.wide}`}>
                <Workflow size={20} strokeWidth={1.75} aria-hidden="true" />
                <span className={styles.word}>{t("workflows")}</span>
            </Link>
            <Link to="/executions" className={styles.item}>
                <ListChecks size={20} strokeWidth={1.75} aria-hidden="true" />
                <span className={styles.word}>{t("executions")}</span>
            </Link>
            {role !== "member" && (
                <Link to="/ops" className={`${styles.item} ${styles.wide}`}>
                    <Activity size={20} strokeWidth={1.75} aria-hidden="true" />
                    <span className={styles.word}>{t("ops")}</span>
                </Link>
            )}
            {role === "admin" && (
                <Link
                    to="/admin/users"
                    className={`${styles.item} ${styles.wide}`}
                    aria-current={isAdmin ? "page" : undefined}
                >
                    <Building2 size={20} strokeWidth={1.75} aria-hidden="true" />
                    <span className={styles.word}>{t("admin")}</span>
                </Link>
            )}
            <AriaButton className={styles.item} onPress={() => onOpen("palette")}>
                <Search size={20} strokeWidth={1.75} aria-hidden="true" />
                <span className={styles.word}>{t("find")}</span>
                <kbd className={styles.keys}>{isMac ? "⌘K" : "Ctrl K"}</kbd>
            </AriaButton>
            <div className={styles.space} />
            <Connection />
            <AccountMenu onOpen={onOpen} />
        </nav>
    );
}
