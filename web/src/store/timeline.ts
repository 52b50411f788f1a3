// SPDX-License-Identifier: Apache-2.0
// The window of a room's timeline that is held: what reached the page, in order of index, each once.
import type { EventPage, RoomEvent } from "../api/model";

export interface Timeline {
    readonly epoch: number;
    /** What has a row of its own: edits and deletions change their target instead. */
    readonly events: readonly RoomEvent[];
    /** Where the loaded part begins: older events lie before this index. */
    readonly oldest: number;
    /** The newest index known of, seen or not. */
    readonly latest: number;
    readonly hasOlder: boolean;
    /** Where pages were joined: what was first on its page looks the same when there is more before it. */
    readonly seams: ReadonlySet<number>;
}

export const emptyTimeline: Timeline = {
    epoch: 0,
    events: [],
    oldest: 0,
    latest: -1,
    hasOlder: false,
    seams: new Set(),
};

function hasRow(event: RoomEvent): boolean {
    return (
        event.status === "accepted" &&
        event.type !== "edit" &&
        event.type !== "delete" &&
        event.type !== "reaction"
    );
}

/** Where an index is or belongs, from the end: that is where almost everything happens. */
function placeOf(events: readonly RoomEvent[], index: number): number {
    let place = events.length;
    while (place > 0 && (events[place - 1] as RoomEvent).index >= index) {
        place -= 1;
    }
    return place;
}

function changed(
    events: readonly RoomEvent[],
    id: string,
    change: (event: RoomEvent) => RoomEvent,
): readonly RoomEvent[] {
    return events.some((event) => event.id === id)
        ? events.map((event) => (event.id === id ? change(event) : event))
        : events;
}

function withSeam(seams: ReadonlySet<number>, events: readonly RoomEvent[]): ReadonlySet<number> {
    return events[0] ? new Set(seams).add(events[0].index) : seams;
}

/** The newest page: the window begins with it. */
export function openTimeline(page: EventPage): Timeline {
    const events = page.events.filter(hasRow);
    return {
        epoch: page.timeline_epoch,
        events,
        oldest: page.next_index ?? 0,
        latest: Math.max(page.latest_index, page.events.at(-1)?.index ?? -1),
        hasOlder: page.next_index !== null,
        seams: withSeam(new Set(), events),
    };
}

/** An older page in front of the window. Another epoch's page fits nowhere and changes nothing. */
export function prependPage(timeline: Timeline, page: EventPage): Timeline {
    if (page.timeline_epoch !== timeline.epoch) {
        return timeline;
    }
    const older = page.events.filter((event) => event.index < timeline.oldest && hasRow(event));
    return {
        ...timeline,
        events: [...older, ...timeline.events],
        oldest: page.next_index ?? 0,
        hasOlder: page.next_index !== null,
        seams: withSeam(timeline.seams, older),
    };
}

/** Puts what was loaded before the window in front of it, as the window is by now. */
export function extendBack(timeline: Timeline, reached: Timeline): Timeline {
    if (reached.epoch !== timeline.epoch || reached.oldest >= timeline.oldest) {
        return timeline;
    }
    const older = reached.events.filter((event) => event.index < timeline.oldest);
    return {
        ...timeline,
        events: [...older, ...timeline.events],
        oldest: reached.oldest,
        hasOlder: reached.hasOlder,
        seams: new Set([...reached.seams, ...timeline.seams]),
    };
}

/** One event of the live tail. What is already there is the same object afterwards. */
export function receiveEvent(timeline: Timeline, event: RoomEvent): Timeline {
    const latest = Math.max(timeline.latest, event.index);
    if (event.content.type === "edit" || event.content.type === "delete") {
        const change = event.content;
        const events = changed(timeline.events, change.target_event_id, (target) =>
            change.type === "delete"
                ? { ...target, is_deleted: true }
                : { ...target, is_edited: true, content: change.new_content },
        );
        return { ...timeline, events, latest };
    }
    const place = placeOf(timeline.events, event.index);
    if (timeline.events[place]?.index === event.index || event.index < timeline.oldest) {
        return timeline;
    }
    if (!hasRow(event)) {
        return { ...timeline, latest };
    }
    return { ...timeline, events: timeline.events.toSpliced(place, 0, event), latest };
}

/** Deleted for good: the row goes, its index stays used. */
export function eraseEvent(timeline: Timeline, isErased: (event: RoomEvent) => boolean): Timeline {
    const place = timeline.events.findLastIndex(isErased);
    return place < 0 ? timeline : { ...timeline, events: timeline.events.toSpliced(place, 1) };
}
