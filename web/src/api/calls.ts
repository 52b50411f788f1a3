// SPDX-License-Identifier: Apache-2.0
// The requests that the page makes, one function each.
import { answer, client } from "./client";
import type {
    AgentState,
    ApiToken,
    Approval,
    ApprovalList,
    ApprovalVerdict,
    AuditEntry,
    Content,
    DeliverySkip,
    EventAnswer,
    EventPage,
    InvitedUser,
    Lane,
    LeaseList,
    LeaseRelease,
    LeaseView,
    MadeApiToken,
    MadeLink,
    NewApiToken,
    NewUser,
    Notification,
    NotificationList,
    NotificationsRead,
    Participant,
    ParticipantRole,
    ReadMarker,
    RegisteredChannel,
    Room,
    RoomDetail,
    RoomEvent,
    RoomList,
    Run,
    Secret,
    SecretValue,
    SkipReplay,
    Unread,
    User,
    UserPatch,
    Worker,
} from "./model";
import { Problem } from "./problem";

export function fetchRooms(cursor: string | undefined): Promise<RoomList> {
    return answer(client.GET("/api/v1/rooms", { params: { query: { limit: 100, cursor } } }));
}

export function createRoom(name: string): Promise<Room> {
    return answer(client.POST("/api/v1/rooms", { body: { name } }));
}

/** The binding says the agent's name, for those who may not see the channels of the organisation. */
export function createRoomWithAgent(name: string, agent: RegisteredChannel): Promise<Room> {
    const binding = { channel_id: agent.id, metadata: { name: agent.name } };
    const channels = [{ channel_id: "web" }, binding];
    return answer(client.POST("/api/v1/rooms", { body: { name, channels } }));
}

/** Lets an agent that is bound to the room drive it. */
export function startSession(roomId: string, agent: string): Promise<AgentState> {
    return answer(
        client.PUT("/api/v1/rooms/{room_id}/session", {
            params: { path: { room_id: roomId } },
            body: { agent },
        }),
    );
}

/** What the agent of a room is doing; undefined for a room that none drives. */
export async function fetchAgentState(roomId: string): Promise<AgentState | undefined> {
    try {
        return await answer(
            client.GET("/api/v1/rooms/{room_id}/session", {
                params: { path: { room_id: roomId } },
            }),
        );
    } catch (thrown) {
        if (thrown instanceof Problem && thrown.status === 404) {
            return undefined;
        }
        throw thrown;
    }
}

/** The newest runs of a room's agent, the last one first. */
export async function fetchRuns(roomId: string): Promise<Run[]> {
    const { runs } = await answer(
        client.GET("/api/v1/rooms/{room_id}/runs", {
            params: { path: { room_id: roomId }, query: { limit: 100 } },
        }),
    );
    return runs;
}

/** For operators: what carries messages from and to the organisation's rooms. */
export async function fetchChannels(): Promise<RegisteredChannel[]> {
    return (await answer(client.GET("/api/v1/channels"))).channels;
}

export function fetchRoom(roomId: string): Promise<RoomDetail> {
    return answer(client.GET("/api/v1/rooms/{room_id}", { params: { path: { room_id: roomId } } }));
}

export function renameRoom(roomId: string, name: string): Promise<Room> {
    return answer(
        client.PATCH("/api/v1/rooms/{room_id}", {
            params: { path: { room_id: roomId } },
            body: { name },
        }),
    );
}

export function closeRoom(roomId: string): Promise<Room> {
    return answer(
        client.POST("/api/v1/rooms/{room_id}/close", { params: { path: { room_id: roomId } } }),
    );
}

export function archiveRoom(roomId: string): Promise<Room> {
    return answer(
        client.POST("/api/v1/rooms/{room_id}/archive", { params: { path: { room_id: roomId } } }),
    );
}

export function deleteRoom(roomId: string): Promise<unknown> {
    return answer(
        client.DELETE("/api/v1/rooms/{room_id}", { params: { path: { room_id: roomId } } }),
    );
}

/** A user takes part under the user's own id: whoever had left comes back with what they wrote. */
export function addParticipant(roomId: string, user: User): Promise<Participant> {
    return answer(
        client.POST("/api/v1/rooms/{room_id}/participants", {
            params: { path: { room_id: roomId } },
            body: {
                id: user.id,
                display_name: user.display_name,
                role: "member",
                status: "active",
            },
        }),
    );
}

export function setParticipantRole(
    roomId: string,
    participantId: string,
    role: ParticipantRole,
): Promise<Participant> {
    return answer(
        client.PATCH("/api/v1/rooms/{room_id}/participants/{participant_id}", {
            params: { path: { room_id: roomId, participant_id: participantId } },
            body: { role },
        }),
    );
}

/** Takes somebody out of a room, or oneself. */
export function removeParticipant(roomId: string, participantId: string): Promise<unknown> {
    return answer(
        client.DELETE("/api/v1/rooms/{room_id}/participants/{participant_id}", {
            params: { path: { room_id: roomId, participant_id: participantId } },
        }),
    );
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

/** The oldest messages after an index. */
export async function fetchMessagesAfter(
    roomId: string,
    after: number,
    limit: number,
): Promise<RoomEvent[]> {
    const page = await answer(
        client.GET("/api/v1/rooms/{room_id}/events", {
            params: {
                path: { room_id: roomId },
                query: { after_index: after, type: "message", limit },
            },
        }),
    );
    return page.events;
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
export function editEvent(roomId: string, eventId: string, content: Content): Promise<EventAnswer> {
    return answer(
        client.PATCH("/api/v1/rooms/{room_id}/events/{event_id}", {
            params: { path: { room_id: roomId, event_id: eventId } },
            body: { content },
        }),
    );
}

/** Removes a file that no message needs any more. */
export function deleteAttachment(attachmentId: string): Promise<unknown> {
    return answer(
        client.DELETE("/api/v1/attachments/{attachment_id}", {
            params: { path: { attachment_id: attachmentId } },
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

const USERS_OF_PAGE = 200;
/** An organisation with more people than this needs another page than a list of all. */
const USER_PAGES = 10;

export async function fetchUsers(): Promise<User[]> {
    const users: User[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < USER_PAGES; pages += 1) {
        const page = await answer(
            client.GET("/api/v1/users", { params: { query: { limit: USERS_OF_PAGE, cursor } } }),
        );
        users.push(...page.users);
        if (page.next_cursor === null) {
            break;
        }
        cursor = page.next_cursor;
    }
    return users;
}

export function inviteUser(user: NewUser): Promise<InvitedUser> {
    return answer(client.POST("/api/v1/users", { body: user }));
}

export function changeUser(userId: string, change: UserPatch): Promise<User> {
    return answer(
        client.PATCH("/api/v1/users/{user_id}", {
            params: { path: { user_id: userId } },
            body: change,
        }),
    );
}

/** A link that sets a password: the one before it is no longer good. */
export function makeResetLink(userId: string): Promise<MadeLink> {
    return answer(
        client.POST("/api/v1/users/{user_id}/reset", { params: { path: { user_id: userId } } }),
    );
}

export async function fetchTokens(): Promise<ApiToken[]> {
    return (await answer(client.GET("/api/v1/tokens"))).tokens;
}

export function makeToken(token: NewApiToken): Promise<MadeApiToken> {
    return answer(client.POST("/api/v1/tokens", { body: token }));
}

export function revokeToken(tokenId: string): Promise<unknown> {
    return answer(
        client.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: tokenId } } }),
    );
}

/** Without their values, which nobody is shown. */
export async function fetchSecrets(): Promise<Secret[]> {
    return (await answer(client.GET("/api/v1/secrets"))).secrets;
}

function refusedName(code: string, status: number, reason: string): Problem {
    return new Problem({ code, status, errors: [{ field: "name", reason }] });
}

async function putSecret(name: string, body: SecretValue): Promise<Secret> {
    // Browsers take dots alone out of an address: the server would not see that they are no name.
    if (name === "." || name === "..") {
        throw refusedName("VALIDATION_ERROR", 422, "malformed");
    }
    return answer(client.PUT("/api/v1/secrets/{name}", { params: { path: { name } }, body }));
}

/** A name that is taken is refused here: the server would put the value in the place of the other one. */
export async function makeSecret(name: string, body: SecretValue): Promise<Secret> {
    if ((await fetchSecrets()).some((each) => each.name === name)) {
        throw refusedName("ALREADY_EXISTS", 409, "taken");
    }
    return putSecret(name, body);
}

/** With the description that it has now: left out, it would be emptied. */
export async function replaceSecretValue(name: string, value: string): Promise<Secret> {
    const present = (await fetchSecrets()).find((each) => each.name === name);
    if (present === undefined) {
        throw new Problem({ code: "NOT_FOUND", status: 404 });
    }
    return putSecret(name, { value, description: present.description });
}

export function removeSecret(name: string): Promise<unknown> {
    return answer(client.DELETE("/api/v1/secrets/{name}", { params: { path: { name } } }));
}

/** The newest lines of the audit trail before one, and where to go on. */
export async function fetchAudit(
    before: number | undefined,
): Promise<{ entries: AuditEntry[]; next: number | undefined }> {
    const { entries, next_before } = await answer(
        client.GET("/api/v1/admin/audit", { params: { query: { limit: 50, before } } }),
    );
    return { entries, next: next_before ?? undefined };
}

export async function fetchWorkers(): Promise<Worker[]> {
    return (await answer(client.GET("/api/v1/admin/workers"))).workers;
}

/** The lanes of the worker that answers. */
export async function fetchLanes(): Promise<{ worker: string; lanes: Lane[] }> {
    return answer(client.GET("/api/v1/admin/lanes"));
}

/** The leases of all workers. */
export async function fetchLeases(view: LeaseView): Promise<LeaseList> {
    return answer(client.GET("/api/v1/admin/leases", { params: { query: { view } } }));
}

/** What would fall if a lease were taken away. */
export async function previewLeaseRelease(name: string): Promise<LeaseRelease> {
    return answer(
        client.DELETE("/api/v1/admin/leases/{name}", {
            params: { path: { name }, query: { dry_run: true } },
        }),
    );
}

/** With `confirm` a holder that does not let go loses its session, and with it all its leases. */
export async function releaseLease(
    name: string,
    reason: string,
    confirm: boolean,
): Promise<LeaseRelease> {
    return answer(
        client.DELETE("/api/v1/admin/leases/{name}", {
            params: { path: { name }, query: { reason, confirm } },
        }),
    );
}

/** Delivers once more what was passed over. */
export async function replaySkip(id: number): Promise<SkipReplay> {
    return answer(
        client.POST("/api/v1/admin/skips/{skip_id}/replay", {
            params: { path: { skip_id: String(id) } },
        }),
    );
}

export async function fetchSkips(): Promise<DeliverySkip[]> {
    return (await answer(client.GET("/api/v1/admin/skips"))).skips;
}

/** More than anybody decides in one go: what is asked after these comes up as they are decided. */
const APPROVALS_SHOWN = 100;

/** What agents ask and nobody decided, in all rooms that one may see or in one; the newest first. */
export function fetchOpenApprovals(roomId?: string): Promise<ApprovalList> {
    return answer(
        client.GET("/api/v1/approvals", {
            params: { query: { status: "pending", room_id: roomId, limit: APPROVALS_SHOWN } },
        }),
    );
}

export function fetchApproval(approvalId: string): Promise<Approval> {
    return answer(
        client.GET("/api/v1/approvals/{approval_id}", {
            params: { path: { approval_id: approvalId } },
        }),
    );
}

/** Once: whoever comes second is refused, and told who was first. */
export function decideApproval(
    approvalId: string,
    status: ApprovalVerdict,
    response?: unknown,
): Promise<Approval> {
    return answer(
        client.PATCH("/api/v1/approvals/{approval_id}", {
            params: { path: { approval_id: approvalId } },
            body: response === undefined ? { status } : { status, response },
        }),
    );
}

const NOTIFICATIONS_SHOWN = 50;

/** What one was told and has not read; the newest first. */
export function fetchUnreadNotifications(): Promise<NotificationList> {
    return answer(
        client.GET("/api/v1/notifications", {
            params: { query: { unread: true, limit: NOTIFICATIONS_SHOWN } },
        }),
    );
}

export function markNotificationRead(notificationId: string): Promise<Notification> {
    return answer(
        client.PATCH("/api/v1/notifications/{notification_id}", {
            params: { path: { notification_id: notificationId } },
            body: { read: true },
        }),
    );
}

/** All that one has not read, not only what is shown; beyond the server's bound the rest stays unread. */
export function markAllNotificationsRead(): Promise<NotificationsRead> {
    return answer(client.PATCH("/api/v1/notifications", { body: { read: true } }));
}
