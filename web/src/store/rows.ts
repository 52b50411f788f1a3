// SPDX-License-Identifier: Apache-2.0
// The lines of a timeline as they are shown: days, the unread line, messages, what waits to be sent.
import type { RoomEvent } from "../api/model";
import type { OutboxEntry } from "./outbox";
import { callOf, noRuns, RunPlaces, type RunRow, type RunSources } from "./runRows";

export type Row =
    | { kind: "day"; key: string; at: string }
    | { kind: "unread"; key: string; count: number }
    | {
          kind: "message";
          key: string;
          event: RoomEvent;
          /** The same person goes on: the name is not repeated. */
          isContinued: boolean;
          replies: number;
      }
    | { kind: "notice"; key: string; event: RoomEvent }
    | RunRow
    | { kind: "pending"; key: string; entry: OutboxEntry; isContinued: boolean };

export interface RowSources {
    events: readonly RoomEvent[];
    pending: readonly OutboxEntry[];
    /** The runs of the room's agent, where it has one. */
    runs?: RunSources;
    /** The index of the last event above the unread line. */
    line: number;
    /** Where pages were joined: nothing is continued across, so that no row changes when one is put before it. */
    seams?: ReadonlySet<number>;
    /** What is loaded begins here and more lies before it: neither is known to begin a day or what is unread. */
    oldest?: number;
    ownId: string;
    dayOf: (at: Date) => string;
}

const CONTINUES_WITHIN_MS = 5 * 60_000;

function speakerOf(event: RoomEvent): string {
    const { participant_id, external_id, channel_id } = event.source;
    return participant_id || external_id || channel_id;
}

/** A message of this page keeps the key of its pending row, so that the row stays the same element. */
function keyOf(event: RoomEvent, ownId: string): string {
    return event.source.participant_id === ownId && event.idempotency_key
        ? event.idempotency_key
        : event.id;
}

export function repliesByRoot(events: readonly RoomEvent[]): Map<string, number> {
    const replies = new Map<string, number>();
    for (const event of events) {
        if (event.parent_event_id !== "" && !event.is_deleted) {
            const root = event.parent_event_id;
            replies.set(root, (replies.get(root) ?? 0) + 1);
        }
    }
    return replies;
}

/** A call has two events where its beginning was stored as well: the later one has all. */
function isOvertaken(event: RoomEvent, events: readonly RoomEvent[]): boolean {
    const call = event.type === "tool_call_start" ? callOf(event) : undefined;
    return (
        call !== undefined &&
        events.some(
            (other) => other.type === "tool_call_end" && callOf(other)?.tool_id === call.tool_id,
        )
    );
}

export function buildRows(sources: RowSources): Row[] {
    const { events, pending, runs = noRuns, line, seams, oldest = 0, ownId, dayOf } = sources;
    const rows: Row[] = [];
    const replies = repliesByRoot(events);
    const countsUnread = (event: RoomEvent) =>
        event.index > line && event.type === "message" && event.source.participant_id !== ownId;
    const hasOlder = oldest > 0;
    const firstUnread = line >= oldest - 1 ? events.find(countsUnread) : undefined;
    let day = "";
    let speaker = "";
    let spokeAt = 0;
    let thread = "";

    const places = new RunPlaces(events, runs);
    const pushRunRows = (place: number) => {
        for (const row of places.rowsBefore(place)) {
            if ("isContinued" in row) {
                rows.push({ ...row, isContinued: speaker === runs.agent && thread === "" });
                speaker = runs.agent;
                thread = "";
                // What the agent says next belongs to this, however long it takes.
                spokeAt = Number.POSITIVE_INFINITY;
            } else {
                rows.push(row);
            }
        }
    };

    for (const [place, event] of events.entries()) {
        pushRunRows(place);
        const at = new Date(event.created_at);
        if (seams?.has(event.index)) {
            speaker = "";
        }
        if (dayOf(at) !== day) {
            const isKnown = day !== "" || !hasOlder;
            day = dayOf(at);
            speaker = "";
            if (isKnown) {
                // Named after its first event: clocks that differ may bring the same day twice.
                rows.push({ kind: "day", key: `day-${event.id}`, at: event.created_at });
            }
        }
        if (event === firstUnread) {
            speaker = "";
            rows.push({ kind: "unread", key: "unread", count: events.filter(countsUnread).length });
        }
        const call = callOf(event);
        if (call) {
            if (!isOvertaken(event, events)) {
                const isContinued = speakerOf(event) === speaker && thread === "";
                rows.push({ kind: "call", key: call.tool_id, from: call, isContinued });
                speaker = speakerOf(event);
                thread = "";
                spokeAt = Number.POSITIVE_INFINITY;
            }
            continue;
        }
        if (event.type !== "message") {
            speaker = "";
            rows.push({ kind: "notice", key: event.id, event });
            continue;
        }
        const isContinued =
            speakerOf(event) === speaker &&
            event.parent_event_id === thread &&
            at.getTime() - spokeAt < CONTINUES_WITHIN_MS;
        speaker = speakerOf(event);
        thread = event.parent_event_id;
        spokeAt = at.getTime();
        rows.push({
            kind: "message",
            key: keyOf(event, ownId),
            event,
            isContinued,
            replies: replies.get(event.id) ?? 0,
        });
    }
    pushRunRows(events.length);
    for (const entry of pending) {
        const isContinued = speaker === ownId && entry.thread === thread;
        speaker = ownId;
        thread = entry.thread;
        rows.push({ kind: "pending", key: entry.key, entry, isContinued });
    }
    return rows;
}
