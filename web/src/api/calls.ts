// SPDX-License-Identifier: Apache-2.0
// The requests that the page makes, one function each.
import { answer, client } from "./client";
import type {
    Asker,
    EventAnswer,
    EventPage,
    Me,
    ReadMarker,
    Room,
    RoomDetail,
    RoomEvent,
    RoomList,
    Unread,
} from "./model";
import { Problem } from "./problem";

/** A cookie always stands for a person; a program's token has no business with a page. */
async function asPerson(asked: Promise<Asker>): Promise<Me> {
    const { user, ...asker } = await asked;
    if (!user) {
        throw new Problem({ code: "UNAUTHENTICATED", status: 401 });
    }
    return { ...asker, user };
}

export function fetchMe(): Promise<Me> {
    return asPerson(answer(client.GET("/api/v1/auth/me")));
}

export function logInWithPassword(email: string, password: string): Promise<Me> {
    return asPerson(answer(client.POST("/api/v1/auth/login", { body: { email, password } })));
}

export function logInWithLink(linkToken: string): Promise<Me> {
    return asPerson(answer(client.POST("/api/v1/auth/login", { body: { link_token: linkToken } })));
}

export function setPassword(linkToken: string, password: string): Promise<Me> {
    return asPerson(
        answer(client.POST("/api/v1/auth/password", { body: { link_token: linkToken, password } })),
    );
}

export function logOut(): Promise<unknown> {
    return answer(client.POST("/api/v1/auth/logout"));
}

export function fetchRooms(cursor: string | undefined): Promise<RoomList> {
    return answer(client.GET("/api/v1/rooms", { params: { query: { limit: 100, cursor } } }));
}

export function createRoom(name: string): Promise<Room> {
    return answer(client.POST("/api/v1/rooms", { body: { name } }));
}

export function fetchRoom(roomId: string): Promise<RoomDetail> {
    return answer(client.GET("/api/v1/rooms/{room_id}", { params: { path: { room_id: roomId } } }));
}

export function reopenRoom(roomId: string): Promise<Room> {
    return answer(
        client.POST("/api/v1/rooms/{room_id}/reopen", { params: { path: { room_id: roomId } } }),
    );
}

/** The newest events of a room, or the newest of those before an index. */
export function fetchEventsBackwards(
    roomId: string,
    before: number | undefined,
    limit: number,
): Promise<EventPage> {
    const query = before === undefined ? { newest_first: true } : { before_index: before };
    return answer(
        client.GET("/api/v1/rooms/{room_id}/events", {
            params: { path: { room_id: roomId }, query: { ...query, limit } },
        }),
    );
}

/** A message and, in a second request, the replies to it. */
export async function fetchThread(roomId: string, rootId: string): Promise<RoomEvent[]> {
    const path = { room_id: roomId };
    const [root, replies] = await Promise.all([
        answer(
            client.GET("/api/v1/rooms/{room_id}/events/{event_id}", {
                params: { path: { ...path, event_id: rootId } },
            }),
        ),
        answer(
            client.GET("/api/v1/rooms/{room_id}/events", {
                params: {
                    path,
                    query: { parent_event_id: rootId, limit: 500, newest_first: true },
                },
            }),
        ),
    ]);
    return [root, ...replies.events];
}

/** Answers with the edit, an event of its own. */
export function editEvent(roomId: string, eventId: string, body: string): Promise<EventAnswer> {
    return answer(
        client.PATCH("/api/v1/rooms/{room_id}/events/{event_id}", {
            params: { path: { room_id: roomId, event_id: eventId } },
            body: { content: { type: "text", body } },
        }),
    );
}

/** A soft delete; `keepalive` lets it outlive a page that is being closed. */
export function deleteEvent(roomId: string, eventId: string, keepalive = false): Promise<unknown> {
    return answer(
        client.DELETE("/api/v1/rooms/{room_id}/events/{event_id}", {
            params: { path: { room_id: roomId, event_id: eventId } },
            keepalive,
        }),
    );
}

export async function fetchReadMarker(roomId: string): Promise<number> {
    const { markers } = await answer(
        client.GET("/api/v1/rooms/{room_id}/read-markers", {
            params: { path: { room_id: roomId } },
        }),
    );
    return markers.find((marker) => marker.thread === "")?.index ?? -1;
}

/** Receipts only move forward; who asks explicitly may also move the marker back. */
export function setReadMarker(
    roomId: string,
    marker: { index: number; thread?: string; explicit?: true },
): Promise<ReadMarker> {
    return answer(
        client.PUT("/api/v1/rooms/{room_id}/read-markers", {
            params: { path: { room_id: roomId } },
            body: marker,
        }),
    );
}

export function fetchUnread(roomId: string): Promise<Unread> {
    return answer(
        client.GET("/api/v1/rooms/{room_id}/unread", { params: { path: { room_id: roomId } } }),
    );
}
