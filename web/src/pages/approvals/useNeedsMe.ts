// SPDX-License-Identifier: Apache-2.0
// How much waits for the person, by kind.
import { useQuery } from "@tanstack/react-query";
import { fetchUnreadNotifications } from "../../api/calls";
import { NOTIFICATIONS } from "../../store/news";
import { besidesQuestions } from "../../store/notices";
import { totalUnread } from "../../store/unread";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "../shell/SessionContext";
import { useMyApprovals } from "./useApprovals";

export function notificationsQuery() {
    return { queryKey: [NOTIFICATIONS, "unread"], queryFn: fetchUnreadNotifications };
}

export interface NeedsMe {
    approvals: number;
    questions: number;
    notifications: number;
    mentions: number;
}

export function useNeedsMe(): NeedsMe {
    const asked = useMyApprovals();
    const approvals = asked.filter((one) => one.kind === "approval").length;
    const { data } = useQuery(notificationsQuery());
    const { mentions } = totalUnread(useReadable(useSession().unread.counts));
    return {
        approvals,
        questions: asked.length - approvals,
        notifications: besidesQuestions(data?.notifications ?? []).length,
        mentions,
    };
}
