// SPDX-License-Identifier: Apache-2.0
// What lives as long as a login: the socket of the tab, the outbox, the uploads, the counts, the drafts.
import type { QueryClient } from "@tanstack/react-query";
import { deleteAttachment } from "../api/calls";
import { setCsrfToken } from "../api/client";
import type { Me, NewEvent, RoomEvent, RoomList } from "../api/model";
import { Problem } from "../api/problem";
import { uploadFile } from "../api/upload";
import { type ConnectionState, type SocketLike, TabSocket, type TopicFrame } from "../live/socket";
import type { AgentSession } from "./agentSession";
import { Drafts } from "./drafts";
import { askAgain, hearNews } from "./news";
import { Observable } from "./observable";
import { Outbox, TURN_KEY } from "./outbox";
import { outboxStorage } from "./outboxStorage";
import type { RoomSession } from "./roomSession";
import { UnreadCounts } from "./unread";
import { Uploads } from "./uploads";

/** The pages of the room list, as the query cache holds them. */
export interface RoomPages {
    pages: RoomList[];
    pageParams: unknown[];
}

export class Session {
    readonly me: Me;
    readonly socket: TabSocket;
    readonly outbox: Outbox;
    /** Of messages that are being written: they go on while one looks at another room. */
    readonly uploads = new Uploads({ send: uploadFile, discard: deleteAttachment });
    readonly unread = new UnreadCounts();
    readonly drafts: Drafts;
    readonly connection = new Observable<ConnectionState>("connecting");
    /** The room on the screen: what this page commits is shown there at once. */
    openRoom: RoomSession | undefined;
    /** The agent of that room, if one drives it: it is asked, where others are only told. */
    openAgent: Pick<AgentSession, "roomId" | "say" | "hear" | "lookAgain"> | undefined;
    private readonly queries: QueryClient;
    private readonly onRefused: () => void;

    constructor(me: Me, queries: QueryClient, onRefused: () => void) {
        this.me = me;
        this.queries = queries;
        this.onRefused = onRefused;
        this.drafts = new Drafts(me.user.id);
        this.socket = new TabSocket({
            connect: openSocket,
            onState: (state) => this.connectionChanged(state),
        });
        this.outbox = new Outbox({
            storage: outboxStorage(me.user.id),
            send: (roomId, event) => this.say(roomId, event),
            onSent: (event) => this.committed(event),
        });
    }

    start(): void {
        setCsrfToken(this.me.csrf_token);
        this.socket.subscribe("me", undefined, {
            onFrame: (frame) => this.hear(frame),
            onSubscribed: () => this.catchUp(),
        });
        this.socket.start();
        void this.outbox.load().catch(() => undefined);
        window.addEventListener("online", this.wake);
        document.addEventListener("visibilitychange", this.wake);
    }

    stop(): void {
        window.removeEventListener("online", this.wake);
        document.removeEventListener("visibilitychange", this.wake);
        this.outbox.stop();
        this.uploads.stop();
        this.socket.stop();
    }

    private readonly wake = (): void => {
        if (document.visibilityState === "visible") {
            this.socket.wake();
        }
    };

    /** Says something that starts a run in the ordinary way. Undefined: it has started one before. */
    async sayInTurn(roomId: string, event: NewEvent): Promise<RoomEvent | undefined> {
        try {
            return await this.socket.send(roomId, event);
        } catch (thrown) {
            if (thrown instanceof Problem && thrown.code === "IDEMPOTENCY_KEY_REUSED") {
                return undefined;
            }
            throw thrown;
        }
    }

    private say(roomId: string, event: NewEvent): Promise<RoomEvent | undefined> {
        if (!event.idempotency_key?.startsWith(TURN_KEY)) {
            return this.socket.send(roomId, event);
        }
        return this.openAgent?.roomId === roomId
            ? this.openAgent.say(event)
            : this.sayInTurn(roomId, event);
    }

    private connectionChanged(state: ConnectionState): void {
        this.connection.set(state);
        this.outbox.connected(state === "open");
        if (state === "refused") {
            this.onRefused();
        }
    }

    private committed(event: RoomEvent): void {
        if (this.openRoom?.roomId === event.room_id) {
            this.openRoom.receive(event);
        }
    }

    /** After every (re)connection: the list and the counts may be older than the connection. */
    private catchUp(): void {
        void this.queries.invalidateQueries({ queryKey: ["rooms"] });
        this.unread.refresh(this.listedRooms(), "again");
        askAgain(this.queries);
    }

    private hear(frame: TopicFrame): void {
        if (frame.type === "unread") {
            this.unread.set(frame.room_id, frame);
            this.touch(frame.room_id, frame.latest_index);
        } else if (frame.type === "rooms_changed") {
            void this.queries.invalidateQueries({ queryKey: ["rooms"] });
            void this.queries.invalidateQueries({ queryKey: ["room", frame.room_id] });
        } else {
            hearNews(this.queries, frame);
            if (frame.type === "session_changed" && frame.room_id === this.openAgent?.roomId) {
                this.openAgent.lookAgain();
            }
        }
    }

    /** A room of the list has news: it moves up without the list being asked for again. */
    private touch(roomId: string, latest: number): void {
        this.queries.setQueryData<RoomPages>(["rooms"], (held) =>
            held?.pages
                ? {
                      ...held,
                      pages: held.pages.map((page) => ({
                          ...page,
                          rooms: page.rooms.map((room) =>
                              room.id === roomId && room.latest_index < latest
                                  ? {
                                        ...room,
                                        latest_index: latest,
                                        last_activity_at: new Date().toISOString(),
                                    }
                                  : room,
                          ),
                      })),
                  }
                : held,
        );
    }

    private listedRooms(): string[] {
        const held = this.queries.getQueryData<RoomPages>(["rooms"]);
        return held?.pages.flatMap((page) => page.rooms.map((room) => room.id)) ?? [];
    }
}

function openSocket(): SocketLike {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    return new WebSocket(`${scheme}://${location.host}/api/v1/ws`);
}
