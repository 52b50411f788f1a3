// SPDX-License-Identifier: Apache-2.0
// Opens a room for as long as its view is there.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { Deletions } from "../../store/deletions";
import { RoomSession } from "../../store/roomSession";
import { useSession } from "../shell/SessionContext";

/** Events after which the room's people are not the ones that were known. */
const CHANGES_PEOPLE = new Set(["participant_joined", "participant_left"]);

export function useRoomSession(roomId: string, around: number | undefined) {
    const session = useSession();
    const queries = useQueryClient();
    const [room, setRoom] = useState<RoomSession>();
    const deletions = useMemo(() => new Deletions(roomId), [roomId]);

    useEffect(() => {
        const opened = new RoomSession({
            roomId,
            // A user takes part under the user's own id.
            ownId: session.me.user.id,
            socket: session.socket,
            around,
            onEvent: (event) => {
                session.outbox.confirm(event);
                session.openAgent?.hear(event);
                if (CHANGES_PEOPLE.has(event.type)) {
                    void queries.invalidateQueries({ queryKey: ["room", roomId] });
                }
            },
        });
        session.openRoom = opened;
        setRoom(opened);
        void opened.open();
        const flush = () => deletions.flush();
        window.addEventListener("pagehide", flush);
        return () => {
            window.removeEventListener("pagehide", flush);
            flush();
            session.openRoom = undefined;
            opened.close();
        };
    }, [roomId, session, queries, deletions]);
    return { room, deletions };
}
