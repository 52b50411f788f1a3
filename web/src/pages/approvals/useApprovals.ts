// SPDX-License-Identifier: Apache-2.0
// What agents ask, as the server has it, and what of it the person decides.
import { useQuery } from "@tanstack/react-query";
import { fetchApproval, fetchOpenApprovals, fetchRoom } from "../../api/calls";
import type { Approval } from "../../api/model";
import { APPROVALS } from "../../store/news";

export function openApprovalsQuery() {
    return { queryKey: [APPROVALS, "open"], queryFn: () => fetchOpenApprovals() };
}

export function roomApprovalsQuery(roomId: string) {
    return { queryKey: [APPROVALS, "room", roomId], queryFn: () => fetchOpenApprovals(roomId) };
}

export function approvalQuery(id: string) {
    return { queryKey: [APPROVALS, "one", id], queryFn: () => fetchApproval(id) };
}

export function roomQuery(roomId: string) {
    return { queryKey: ["room", roomId], queryFn: () => fetchRoom(roomId) };
}

/** Whichever is over first comes first. */
export function byDeadline(a: Approval, b: Approval): number {
    return Date.parse(a.expires_at) - Date.parse(b.expires_at) || a.id.localeCompare(b.id);
}

/** What waits for the person, in all rooms. */
export function useMyApprovals(): readonly Approval[] {
    const { data } = useQuery(openApprovalsQuery());
    return (data?.approvals ?? []).filter((one) => one.may_decide).sort(byDeadline);
}
