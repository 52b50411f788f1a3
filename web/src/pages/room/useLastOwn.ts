// SPDX-License-Identifier: Apache-2.0
// Finds the message that Up edits: one's own last one, or the one before another.
import type { RoomEvent } from "../../api/model";
import { writtenIn } from "../../store/content";
import { useOpenRoom } from "./RoomContext";

export function isEditable(event: RoomEvent, ownId: string): boolean {
    return (
        event.type === "message" &&
        event.source.participant_id === ownId &&
        !event.is_deleted &&
        writtenIn(event.content) !== undefined
    );
}

/** In a thread only its replies count; in the timeline everything. */
export function useLastOwn(thread: string): (before?: string) => string | undefined {
    const { room, ownId, deletions } = useOpenRoom();
    return (before) => {
        const own = room.state
            .get()
            .timeline.events.filter(
                (event) =>
                    isEditable(event, ownId) &&
                    !deletions.byEvent.get().has(event.id) &&
                    (thread === "" || event.parent_event_id === thread),
            );
        const end = before === undefined ? own.length : own.findIndex(({ id }) => id === before);
        return own[end - 1]?.id;
    };
}
