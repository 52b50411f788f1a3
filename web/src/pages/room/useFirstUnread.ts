// SPDX-License-Identifier: Apache-2.0
// The way to the unread line, also where it lies before what is loaded.
import { useEffect, useState } from "react";
import type { Row } from "../../store/rows";
import { useReadable } from "../../ui/useReadable";
import { useOpenRoom } from "./RoomContext";

export function useFirstUnread(rows: readonly Row[], scrollTo: (row: number) => void) {
    const { room } = useOpenRoom();
    const { timeline, line, isLoadingOlder } = useReadable(room.state);
    const [isWanted, setIsWanted] = useState(false);
    const row = rows.findIndex((each) => each.kind === "unread");
    const isBeforeWindow = timeline.hasOlder && line < timeline.oldest - 1;

    useEffect(() => {
        if (isWanted && !isLoadingOlder) {
            setIsWanted(false);
            // What was asked for may lie further back still: then it is come nearer.
            scrollTo(Math.max(0, row));
        }
    }, [isWanted, isLoadingOlder, row, scrollTo]);

    return {
        isAbove: (firstRow: number) => isBeforeWindow || (row >= 0 && row < firstRow),
        show: () => {
            if (isBeforeWindow) {
                void room.loadBackTo(line + 1);
            }
            setIsWanted(true);
        },
    };
}
