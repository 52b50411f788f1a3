// SPDX-License-Identifier: Apache-2.0
// Goes to the message that a link names when the room is open already.
import { type RefObject, useEffect, useRef } from "react";
import type { Row } from "../../store/rows";
import { useOpenRoom } from "./RoomContext";

export function useLinkedMessage(
    rows: readonly Row[],
    at: number | undefined,
    isPlaced: RefObject<boolean>,
    show: (row: number) => void,
): void {
    const { room } = useOpenRoom();
    /** The index that is or was gone to. */
    const done = useRef(at);
    /** The index that older messages were loaded for. */
    const asked = useRef<number>(undefined);
    useEffect(() => {
        if (at === undefined) {
            done.current = undefined;
            asked.current = undefined;
            return;
        }
        if (!isPlaced.current || done.current === at) {
            return;
        }
        const row = rows.findIndex((each) => each.kind === "message" && each.event.index === at);
        if (row >= 0) {
            done.current = at;
            show(row);
        } else if (asked.current !== at) {
            asked.current = at;
            void room.loadBackTo(at);
        }
    });
}
