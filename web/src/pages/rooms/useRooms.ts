// SPDX-License-Identifier: Apache-2.0
// The room list as the server has it, page by page, and what a room is called.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { useTranslations } from "use-intl";
import { fetchRooms } from "../../api/calls";
import type { Room } from "../../api/model";
import type { Session } from "../../store/session";
import { useReadable } from "../../ui/useReadable";

export function useRooms(session: Session) {
    const query = useInfiniteQuery({
        queryKey: ["rooms"],
        queryFn: ({ pageParam }) => fetchRooms(pageParam),
        initialPageParam: undefined as string | undefined,
        getNextPageParam: (page) => page.next_cursor || undefined,
    });
    const rooms = useMemo(
        () => query.data?.pages.flatMap((page) => page.rooms) ?? [],
        [query.data],
    );
    useEffect(() => {
        session.unread.refresh(
            rooms.map((room) => room.id),
            "missing",
        );
    }, [rooms, session]);
    return { ...query, rooms };
}

const SHOWN_OF_ID = 8;

export function useRoomName(): (room: Pick<Room, "id" | "name" | "external_id">) => string {
    const t = useTranslations("rooms");
    return (room) =>
        room.name || room.external_id || t("unnamed", { id: room.id.slice(-SHOWN_OF_ID) });
}

/** The rooms as they are listed: where one is meant, then the unread ones, then by last activity. */
export function useOrderedRooms(session: Session): Room[] {
    const { rooms } = useRooms(session);
    const counts = useReadable(session.unread.counts);
    return useMemo(() => {
        const rank = (room: Room) => {
            const held = counts.get(room.id);
            return held?.mentions ? 2 : held?.unread ? 1 : 0;
        };
        return [...rooms].sort(
            (a, b) =>
                rank(b) - rank(a) ||
                Date.parse(b.last_activity_at) - Date.parse(a.last_activity_at),
        );
    }, [rooms, counts]);
}
