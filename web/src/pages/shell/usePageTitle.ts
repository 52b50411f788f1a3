// SPDX-License-Identifier: Apache-2.0
// The window's title: how much is unread, then where one is.
import { useEffect } from "react";
import { useTranslations } from "use-intl";
import { totalUnread } from "../../store/unread";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "./SessionContext";

export function usePageTitle(page: string): void {
    const t = useTranslations("app");
    const { unread } = totalUnread(useReadable(useSession().unread.counts));
    useEffect(() => {
        const named = `${page} · ${t("name")}`;
        document.title = unread > 0 ? t("unreadTitle", { count: unread, page: named }) : named;
    }, [page, unread, t]);
}
