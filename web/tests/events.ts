// SPDX-License-Identifier: Apache-2.0
// Makes events for tests: only what a test speaks about has to be named.
import type { Content, EventPage, RoomEvent } from "../src/api/model";

export function sourceOf(participant: string): RoomEvent["source"] {
    return {
        channel_id: "web",
        channel_type: "websocket",
        participant_id: participant,
        external_id: "",
        provider_message_id: "",
    };
}

/** An edit that makes a text of its target. */
export function editAt(index: number, target: string, body: string): RoomEvent {
    const content: Content = {
        type: "edit",
        target_event_id: target,
        new_content: { type: "text", body },
    };
    return eventAt(index, { type: "edit", content });
}

export function deletionAt(index: number, target: string): RoomEvent {
    const content: Content = { type: "delete", target_event_id: target, delete_type: "sender" };
    return eventAt(index, { type: "delete", content });
}

export function eventAt(index: number, change: Partial<RoomEvent> = {}): RoomEvent {
    return {
        id: `event-${index}`,
        room_id: "room",
        index,
        type: "message",
        status: "accepted",
        content: { type: "text", body: `text ${index}` },
        source: sourceOf("aiko"),
        parent_event_id: "",
        caused_by: "",
        correlation_id: "",
        chain_depth: 0,
        visibility: "all",
        addressed_to: null,
        metadata: {},
        is_edited: false,
        is_deleted: false,
        created_at: new Date(Date.UTC(2026, 10, 30, 9, 0, index)).toISOString(),
        ...change,
    };
}

/** A page that was read backwards; below its first index more is to be had. */
export function pageOf(indexes: readonly number[], epoch = 0): EventPage {
    const latest = Math.max(-1, ...indexes);
    return {
        events: indexes.map((at) => eventAt(at)),
        latest_index: latest,
        timeline_epoch: epoch,
        next_index: indexes[0] || null,
    };
}

export function range(from: number, to: number): number[] {
    return Array.from({ length: to - from }, (_, at) => from + at);
}
