// SPDX-License-Identifier: Apache-2.0
// Finds the unread room after, or before, the one that is open.
import { useRouter } from "@tanstack/react-router";
import { useCallback } from "react";
import type { Session } from "../../store/session";
import { useOrderedRooms } from "./useRooms";

export function openRoomId(pathname: string): string {
    return decodeURIComponent(/^\/rooms\/([^/]+)/.exec(pathname)?.[1] ?? "");
}

export function useNextUnread(session: Session): (direction: 1 | -1) => string | undefined {
    const rooms = useOrderedRooms(session);
    const router = useRouter();
    return useCallback(
        (direction) => {
            const here = openRoomId(router.state.location.pathname);
            const unread = rooms
                .map((room) => room.id)
                .filter((id) => id === here || session.unread.of(id).unread > 0);
            const at = unread.indexOf(here);
            const from = at < 0 && direction < 0 ? 0 : at;
            const next = unread[(from + direction + unread.length) % unread.length];
            return next === here ? undefined : next;
        },
        [rooms, router, session],
    );
}
