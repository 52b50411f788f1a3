// SPDX-License-Identifier: Apache-2.0
// The names under which the rest of the page knows what the server sends.
import type { components } from "./types";

type Schemas = components["schemas"];

/** Whoever asks: a token has no user. */
export type Asker = Schemas["Me"];
/** The person at this page. */
export type Me = Asker & { user: Schemas["Myself"] };
export type Room = Schemas["Room"];
export type RoomDetail = Schemas["RoomDetail"];
export type RoomList = Schemas["RoomList"];
export type Participant = Schemas["Participant"];
export type RoomEvent = Schemas["Event"];
export type EventPage = Schemas["EventList"];
export type NewEvent = Schemas["NewEvent"];
export type EventAnswer = Schemas["EventAnswer"];
export type Content = Schemas["Content"];
export type RealtimeType = Schemas["RealtimeType"];
export type ReadMarker = Schemas["ReadMarker"];
export type Unread = Schemas["Unread"];
export type ProblemBody = Schemas["Problem"];
