// SPDX-License-Identifier: Apache-2.0
// Where the reader is in the timeline: placed at the start, kept when something changes, and what was read.
import { useSearch } from "@tanstack/react-router";
import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Approach } from "../../store/approach";
import { filesOf, isShownAsImage, wordsOf } from "../../store/content";
import { distanceToEnd, FOLLOWS_PX, Following } from "../../store/following";
import type { Row } from "../../store/rows";
import { whenScrolledUp } from "../../ui/scrollUp";
import { useReadable } from "../../ui/useReadable";
import { useOpenRoom } from "./RoomContext";
import { useFirstUnread } from "./useFirstUnread";
import { useLinkedMessage } from "./useLinkedMessage";

const AT_END_PX = 48;
/** No distance to the end is so small. */
const NEVER_PX = -1;
/** The unread line is placed some way down: what stands above it gives the context. */
const CONTEXT_PX = 160;

const heights = {
    day: 44,
    unread: 38,
    notice: 32,
    pending: 58,
    live: 58,
    thinking: 32,
    call: 32,
    takeover: 28,
    ended: 28,
};
const HEAD_PX = 34;
const LINE_PX = 24;
const LETTERS_OF_LINE = 90;
const IMAGE_PX = 196;
const FILE_PX = 44;

/** What a row takes until it is measured: close enough that the scrollbar hardly jumps. */
function estimate(row: Row | undefined): number {
    if (row?.kind !== "message") {
        return heights[row?.kind ?? "pending"];
    }
    const words = wordsOf(row.event.content);
    const lines = (words ? words.split("\n") : []).reduce(
        (sum, line) => sum + Math.max(1, Math.ceil(line.length / LETTERS_OF_LINE)),
        0,
    );
    const files = filesOf(row.event.content).reduce(
        (sum, file) => sum + (isShownAsImage(file) ? IMAGE_PX : FILE_PX),
        0,
    );
    return lines * LINE_PX + files + (row.isContinued ? 2 : HEAD_PX);
}

function indexOf(rows: readonly Row[], test: (row: Row) => boolean): number | undefined {
    const at = rows.findIndex(test);
    return at < 0 ? undefined : at;
}

export function useTimelineView(rows: readonly Row[], focused: string | undefined) {
    const { room, ownId } = useOpenRoom();
    const { timeline, isLoadingOlder, olderProblem } = useReadable(room.state);
    const { at } = useSearch({ strict: false });
    const scroller = useRef<HTMLDivElement>(null);
    const [isAtEnd, setIsAtEnd] = useState(true);
    const [firstRow, setFirstRow] = useState(0);
    /** The newest index when the reader left the end; what is newer has arrived since. */
    const [leftAt, setLeftAt] = useState(timeline.latest);
    const isPlaced = useRef(false);
    const [following] = useState(() => new Following());
    const [approach] = useState(() => new Approach());

    const virtualizer = useVirtualizer({
        count: rows.length,
        getScrollElement: () => scroller.current,
        estimateSize: (index) => estimate(rows[index]),
        getItemKey: (index) => rows[index]?.key ?? index,
        overscan: 8,
        anchorTo: "end",
        followOnAppend: true,
        scrollEndThreshold: following.isFollowing ? FOLLOWS_PX : NEVER_PX,
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

    const lookForOlder = useCallback(
        (place: HTMLElement, rowsAbove: number) => {
            const state = room.state.get();
            const isWanted = state.timeline.hasOlder && !state.olderProblem;
            const isReady = isPlaced.current || state.timeline.events.length === 0;
            if (!isReady || state.isLoadingOlder || !isWanted) {
                return;
            }
            const isShort = place.scrollHeight <= place.clientHeight;
            if (approach.moved({ top: place.scrollTop, rowsAbove, isShort })) {
                void room.loadOlder();
            }
        },
        [room, approach],
    );

    const look = useCallback(() => {
        const place = scroller.current;
        if (!place) {
            return;
        }
        following.moved(place);
        const end = following.isFollowing || distanceToEnd(place) < AT_END_PX;
        setIsAtEnd(end);
        if (end) {
            setLeftAt(room.state.get().timeline.latest);
        }
        const first = virtualizer.getVirtualItemForOffset(place.scrollTop)?.index ?? 0;
        setFirstRow(first);
        lookForOlder(place, first);
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
    }, [rows, room, virtualizer, lookForOlder]);

    // Placed once, when there are rows: a link's message, else the unread line, else the end.
    useLayoutEffect(() => {
        if (isPlaced.current || rows.length === 0) {
            return;
        }
        isPlaced.current = true;
        const linked = indexOf(rows, (row) => row.kind === "message" && row.event.index === at);
        const unread = indexOf(rows, (row) => row.kind === "unread");
        following.place(linked === undefined && unread === undefined ? "end" : "message");
        if (linked !== undefined) {
            virtualizer.scrollToIndex(linked, { align: "center" });
        } else if (unread !== undefined) {
            virtualizer.scrollToIndex(unread, { align: "start" });
        } else {
            virtualizer.scrollToEnd();
        }
    }, [rows, at, virtualizer]);

    // Also after a page came, or did not: it may not have filled the screen.
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
    }, [look, isLoadingOlder, olderProblem]);

    // The field below grows, a keyboard comes up, others are quicker than one's own message on its way, a row
    // turns out taller than thought: who follows the end goes on seeing it.
    useLayoutEffect(() => {
        const place = scroller.current;
        if (!place) {
            return;
        }
        const observer = new ResizeObserver(() => {
            following.moved(place);
            if (following.isFollowing && isPlaced.current) {
                place.scrollTop = place.scrollHeight;
            }
        });
        observer.observe(place);
        for (const part of place.children) {
            observer.observe(part);
        }
        const ignoreScrolls = whenScrolledUp(place, () => {
            following.leave(place);
            // The list itself holds on to its end as well, and its next row may grow before it is drawn again.
            virtualizer.setOptions({ ...virtualizer.options, scrollEndThreshold: NEVER_PX });
        });
        return () => {
            ignoreScrolls();
            observer.disconnect();
        };
    }, [virtualizer]);

    function goTo(index: number, align: "center" | "start"): void {
        // Said, not seen: what was loaded for it may have made the list taller than the way up is long.
        following.place("message");
        virtualizer.scrollToIndex(index, { align });
    }
    useLinkedMessage(rows, at, isPlaced, (index) => goTo(index, "center"));
    const firstUnread = useFirstUnread(rows, (index) => goTo(index, "start"));

    return {
        virtualizer,
        scroller,
        isAtEnd,
        isUnreadAbove: firstUnread.isAbove(firstRow),
        arrived: rows.filter(
            (row) =>
                row.kind === "message" &&
                row.event.index > leftAt &&
                row.event.source.participant_id !== ownId,
        ).length,
        toEnd: () => {
            following.place("end");
            virtualizer.scrollToEnd();
        },
        toUnread: firstUnread.show,
    };
}

export type TimelineView = ReturnType<typeof useTimelineView>;
