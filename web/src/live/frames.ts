// SPDX-License-Identifier: Apache-2.0
// What is said over the socket of a tab, in both directions.
import type { NewEvent, ProblemBody, RealtimeType, RoomEvent } from "../api/model";

export interface RealtimeEvent {
    type: RealtimeType;
    participant_id: string;
    data: Record<string, unknown>;
    at?: string;
}

export type ServerFrame =
    | { type: "hello"; user_id: string; connection_id: string; heartbeat_seconds?: number }
    | { type: "subscribed"; topic: string; position?: string }
    | { type: "unsubscribed"; topic: string }
    | { type: "event"; topic: string; id: string; event: RoomEvent }
    // By its id while one watches, by its index where it was passed when catching up.
    | { type: "erased"; topic: string; id: string; event_id: string; index?: undefined }
    | { type: "erased"; topic: string; id: string; index: number; event_id?: undefined }
    | { type: "resync"; topic: string; from_index: number; reason: string }
    | { type: "ended"; topic: string; reason: string }
    | { type: "realtime"; topic: string; event: RealtimeEvent }
    | {
          type: "unread";
          topic: string;
          room_id: string;
          unread: number;
          mentions: number;
          latest_index: number;
      }
    | { type: "rooms_changed"; topic: string; room_id: string }
    | { type: "session_changed"; topic: string; room_id: string }
    | { type: "sent"; ref: string; event: RoomEvent; replayed: boolean }
    | { type: "problem"; ref?: string; topic?: string; problem: ProblemBody }
    | { type: "pong"; ref?: string };

export type ClientFrame =
    | { type: "subscribe"; topic: string; after?: string }
    | { type: "unsubscribe"; topic: string }
    | { type: "send"; ref: string; room_id: string; event: NewEvent }
    | {
          type: "realtime";
          room_id: string;
          event: { type: RealtimeType; data: Record<string, unknown> };
      }
    | { type: "ping"; ref: string };

/** A frame that is no JSON object with a type is none: it is skipped, never an exception. */
export function parseFrame(text: string): ServerFrame | undefined {
    try {
        const frame: unknown = JSON.parse(text);
        if (typeof frame === "object" && frame !== null && "type" in frame) {
            return frame as ServerFrame;
        }
    } catch {
        // Falls through: what can't be read is treated like a type that is not known.
    }
    return undefined;
}
