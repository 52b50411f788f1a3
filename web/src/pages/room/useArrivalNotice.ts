// SPDX-License-Identifier: Apache-2.0
// Says to screen readers that somebody wrote, when the reader is not where it can be seen.
import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import type { RoomEvent } from "../../api/model";
import { announce } from "../../ui/announce";
import { useOpenRoom } from "./RoomContext";

export function useArrivalNotice(events: readonly RoomEvent[], isAtEnd: boolean): void {
    const t = useTranslations("room");
    const { ownId, nameOf } = useOpenRoom();
    const newest = events.at(-1);
    const known = useRef(newest?.index ?? -1);
    useEffect(() => {
        if (!newest || newest.index <= known.current) {
            return;
        }
        known.current = newest.index;
        const isFromOther = newest.type === "message" && newest.source.participant_id !== ownId;
        if (isFromOther && (!isAtEnd || !document.hasFocus())) {
            announce(t("arrived", { name: nameOf(newest) }));
        }
    }, [newest, isAtEnd, ownId, nameOf, t]);
}
