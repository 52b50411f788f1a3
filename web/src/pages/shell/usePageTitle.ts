// SPDX-License-Identifier: Apache-2.0
// The window's title: how much is unread, whether an agent waits for the person, then where one is.
import { useEffect } from "react";
import { useTranslations } from "use-intl";
import { totalUnread } from "../../store/unread";
import { useReadable } from "../../ui/useReadable";
import { useMyApprovals } from "../approvals/useApprovals";
import { useSession } from "./SessionContext";

export function usePageTitle(page: string): void {
    const t = useTranslations("app");
    const { unread } = totalUnread(useReadable(useSession().unread.counts));
    const needsMe = useMyApprovals().length > 0;
    useEffect(() => {
        const plain = `${page} · ${t("name")}`;
        const named = needsMe ? t("needsTitle", { page: plain }) : plain;
        document.title = unread > 0 ? t("unreadTitle", { count: unread, page: named }) : named;
    }, [page, unread, needsMe, t]);
}
