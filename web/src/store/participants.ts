// SPDX-License-Identifier: Apache-2.0
// Which participant is the person at this page, and what the others are called.
import type { Me, Participant, RoomEvent } from "../api/model";

/** A user takes part under an id of the room, which names the user in one of these ways. */
export function ownParticipant(
    participants: readonly Participant[],
    me: Me,
): Participant | undefined {
    const { id } = me.user;
    return participants.find(
        (each) => each.id === id || each.external_id === id || each.identity_id === id,
    );
}

const MADE_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The name that stands above a message: whoever left is still called something. */
export function speakerName(
    event: RoomEvent,
    names: ReadonlyMap<string, Participant>,
    fallback: string,
): string {
    const { participant_id, external_id, channel_id } = event.source;
    const named = names.get(participant_id)?.display_name || external_id;
    // An id that a machine made tells a reader nothing.
    const readable = MADE_ID.test(participant_id) ? fallback : participant_id;
    return named || readable || channel_id || fallback;
}
