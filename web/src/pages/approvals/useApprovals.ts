// SPDX-License-Identifier: Apache-2.0
// What agents ask, as the server has it, and what of it the person decides.
import { useQueries, useQuery } from "@tanstack/react-query";
import { fetchApproval, fetchOpenApprovals, fetchRoom } from "../../api/calls";
import type { Approval, Me, RoomDetail } from "../../api/model";
import { type Problem, problemOf } from "../../api/problem";
import { mayDecide } from "../../store/deciders";
import { APPROVALS } from "../../store/news";
import { ownParticipant } from "../../store/participants";
import { useSession } from "../shell/SessionContext";

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

/** How the person takes part in a room; undefined: nobody could say yet. */
function ownIn(room: RoomDetail | undefined, problem: Problem | undefined, me: Me) {
    if (room) {
        return ownParticipant(room.participants, me) ?? null;
    }
    return problem?.status === 404 ? null : undefined;
}

/** Whether the person decides; undefined as long as their part in the room is not known. */
export function useMayDecide(asked: readonly Approval[]): (one: Approval) => boolean | undefined {
    const { me } = useSession();
    const open = asked.filter((one) => mayDecide(one, me, undefined) === undefined);
    const roomIds = [...new Set(open.map((one) => one.room_id))];
    const rooms = useQueries({ queries: roomIds.map(roomQuery) });
    return (one) => {
        const room = rooms[roomIds.indexOf(one.room_id)];
        const problem = room?.error ? problemOf(room.error) : undefined;
        return mayDecide(one, me, ownIn(room?.data, problem, me));
    };
}

/** Whichever is over first comes first. */
export function byDeadline(a: Approval, b: Approval): number {
    return Date.parse(a.expires_at) - Date.parse(b.expires_at) || a.id.localeCompare(b.id);
}

/** What waits for the person, in all rooms. */
export function useMyApprovals(): readonly Approval[] {
    const { data } = useQuery(openApprovalsQuery());
    const asked = data?.approvals ?? [];
    const isMine = useMayDecide(asked);
    return asked.filter(isMine).sort(byDeadline);
}
