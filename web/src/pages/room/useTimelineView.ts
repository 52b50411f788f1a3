// SPDX-License-Identifier: Apache-2.0
// Where the reader is in the timeline: places it at the start, follows the end, and tells what was read.

import { getRouteApi } from "@tanstack/react-router";
import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Row } from "../../store/rows";
import { useReadable } from "../../ui/useReadable";
import { useOpenRoom } from "./RoomContext";

const route = getRouteApi("/shell/rooms/$roomId");

const AT_END_PX = 48;
/** Older messages are asked for while this many rows are still above. */
const ROWS_AHEAD = 8;
/** The unread line is placed some way down: what stands above it gives the context. */
const CONTEXT_PX = 160;

const heights = { day: 44, unread: 38, notice: 32, message: 58, pending: 58 };

function indexOf(rows: readonly Row[], test: (row: Row) => boolean): number | undefined {
    const at = rows.findIndex(test);
    return at < 0 ? undefined : at;
}

export function useTimelineView(rows: readonly Row[], focused: string | undefined) {
    const { room, ownId } = useOpenRoom();
    const { timeline } = useReadable(room.state);
    const { at } = route.useSearch();
    const scroller = useRef<HTMLDivElement>(null);
    const [isAtEnd, setIsAtEnd] = useState(true);
    const [isUnreadAbove, setIsUnreadAbove] = useState(false);
    /** The newest index when the reader left the end; what is newer has arrived since. */
    const [leftAt, setLeftAt] = useState(timeline.latest);
    const isPlaced = useRef(false);

    const virtualizer = useVirtualizer({
        count: rows.length,
        getScrollElement: () => scroller.current,
        estimateSize: (index) => heights[rows[index]?.kind ?? "message"],
        getItemKey: (index) => rows[index]?.key ?? index,
        overscan: 8,
        anchorTo: "end",
        followOnAppend: true,
        scrollEndThreshold: AT_END_PX,
        scrollPaddingStart: CONTEXT_PX,
        paddingEnd: 8,
        // A row that has the focus stays, or the focus would fall to the document.
        rangeExtractor: useCallback(
            (range: Range) => {
                const shown = defaultRangeExtractor(range);
                const kept = indexOf(rows, (row) => row.key === focused);
                return kept === undefined || shown.includes(kept)
                    ? shown
                    : [...shown, kept].sort((a, b) => a - b);
            },
            [rows, focused],
        ),
    });

    const look = useCallback(() => {
        const place = scroller.current;
        if (!place) {
            return;
        }
        const end = place.scrollHeight - place.scrollTop - place.clientHeight < AT_END_PX;
        setIsAtEnd(end);
        if (end) {
            setLeftAt(room.state.get().timeline.latest);
        }
        const unread = indexOf(rows, (row) => row.kind === "unread");
        const first = virtualizer.getVirtualItemForOffset(place.scrollTop)?.index ?? 0;
        setIsUnreadAbove(unread !== undefined && unread < first && !end);
        if (!document.hasFocus()) {
            return;
        }
        if (end) {
            room.read(room.state.get().timeline.latest);
            return;
        }
        const bottom = place.scrollTop + place.clientHeight;
        const last = virtualizer.getVirtualItemForOffset(bottom)?.index ?? 0;
        for (let index = last - 1; index >= 0; index -= 1) {
            const row = rows[index];
            if (row?.kind === "message") {
                room.read(row.event.index);
                return;
            }
        }
    }, [rows, room, virtualizer]);

    // Placed once, when there are rows: a link's message, else the unread line, else the end.
    useLayoutEffect(() => {
        if (isPlaced.current || rows.length === 0) {
            return;
        }
        isPlaced.current = true;
        const linked = indexOf(rows, (row) => row.kind === "message" && row.event.index === at);
        const unread = indexOf(rows, (row) => row.kind === "unread");
        if (linked !== undefined) {
            virtualizer.scrollToIndex(linked, { align: "center" });
        } else if (unread !== undefined) {
            virtualizer.scrollToIndex(unread, { align: "start" });
        } else {
            virtualizer.scrollToEnd();
        }
    }, [rows, at, virtualizer]);

    useEffect(() => {
        const place = scroller.current;
        const frame = requestAnimationFrame(look);
        place?.addEventListener("scroll", look, { passive: true });
        window.addEventListener("focus", look);
        return () => {
            cancelAnimationFrame(frame);
            place?.removeEventListener("scroll", look);
            window.removeEventListener("focus", look);
        };
    }, [look]);

    // One page for each time the reader comes near the top: while the rows above find their heights, the first
    // row is seen there for a moment although nobody has scrolled.
    const mayLoad = useRef(true);
    const first = virtualizer.getVirtualItems()[0]?.index ?? 0;
    useEffect(() => {
        if (first >= ROWS_AHEAD) {
            mayLoad.current = true;
        } else if (mayLoad.current && isPlaced.current && timeline.hasOlder) {
            mayLoad.current = false;
            void room.loadOlder();
        }
    }, [first, timeline.hasOlder, room]);

    return {
        virtualizer,
        scroller,
        isAtEnd,
        isUnreadAbove,
        arrived: rows.filter(
            (row) =>
                row.kind === "message" &&
                row.event.index > leftAt &&
                row.event.source.participant_id !== ownId,
        ).length,
        toEnd: () => virtualizer.scrollToEnd(),
        toUnread: () => {
            const unread = indexOf(rows, (row) => row.kind === "unread");
            if (unread !== undefined) {
                virtualizer.scrollToIndex(unread, { align: "start" });
            }
        },
    };
}

export type TimelineView = ReturnType<typeof useTimelineView>;
