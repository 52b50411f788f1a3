// SPDX-License-Identifier: Apache-2.0
// Says to screen readers that somebody nodded at a message of theirs.
import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { announce } from "../../ui/announce";
import { useReadable } from "../../ui/useReadable";
import { useOpenRoom } from "./RoomContext";

export function useReactionNotice(): void {
    const t = useTranslations("reaction");
    const { room, ownId, participants } = useOpenRoom();
    const { reactions, timeline } = useReadable(room.state);
    const known = useRef(0);
    const newest = reactions.at(-1);
    useEffect(() => {
        if (!newest || newest.at <= known.current) {
            return;
        }
        known.current = newest.at;
        const target = timeline.events.find((event) => event.id === newest.eventId);
        if (newest.who !== ownId && target?.source.participant_id === ownId) {
            const name = participants.get(newest.who)?.display_name || t("somebody");
            announce(t("arrived", { name, emoji: newest.emoji }));
        }
    }, [newest, timeline.events, ownId, participants, t]);
}
