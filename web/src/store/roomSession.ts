// SPDX-License-Identifier: Apache-2.0
// One open room: its window of the timeline, its tail, who is there, and how far it was read.
import { fetchEventsBackwards, fetchReadMarker, fetchUnread, setReadMarker } from "../api/calls";
import type { RoomEvent } from "../api/model";
import { type Problem, problemOf } from "../api/problem";
import { askWhoIsThere, hearMessage, hearRemark, nobody, type People } from "../live/people";
import {
    addReaction,
    REACTION_LASTS_MS,
    type Reaction,
    reactionOf,
    withoutOld,
} from "../live/reactions";
import type { Subscription, TabSocket, TopicFrame } from "../live/socket";
import { Observable, type Readable } from "./observable";
import {
    emptyTimeline,
    eraseEvent,
    extendBack,
    openTimeline,
    prependPage,
    receiveEvent,
    type Timeline,
} from "./timeline";

export interface RoomState {
    readonly phase: "loading" | "ready" | "failed" | "gone";
    readonly problem?: Problem;
    readonly timeline: Timeline;
    readonly isLoadingOlder: boolean;
    /** Why the last older page did not come: it is asked for again by hand. */
    readonly olderProblem?: Problem;
    /** The newest index that counts as read. */
    readonly marker: number;
    /** Where the unread line stands: it stays while the room is open. */
    readonly line: number;
    readonly people: People;
    readonly reactions: readonly Reaction[];
}

export interface RoomSessionOptions {
    roomId: string;
    ownId: string;
    socket: TabSocket;
    /** An index that must be in the window from the start: a link leads to it. */
    around: number | undefined;
    onEvent: (event: RoomEvent) => void;
}

const FIRST_PAGE = 60;
const PAGE = 100;
/** The largest page the API gives, for reaching far back. */
const FAR_PAGE = 500;
/** How many of those are fetched to reach an index that was asked for: beyond that it is a search, not a scroll. */
const FAR_PAGES = 12;
/** And how many to begin at the unread line: who was away for longer begins at the newest message. */
const UNREAD_PAGES = 1;
const RECEIPT_MS = 400;

export class RoomSession {
    readonly roomId: string;
    private readonly options: RoomSessionOptions;
    private readonly observed = new Observable<RoomState>({
        phase: "loading",
        timeline: emptyTimeline,
        isLoadingOlder: false,
        marker: -1,
        line: -1,
        people: nobody,
        reactions: [],
    });
    private subscription: Subscription | undefined;
    private isClosed = false;
    private receiptTimer: ReturnType<typeof setTimeout> | undefined;
    private reactionTimer: ReturnType<typeof setTimeout> | undefined;
    private wantedMarker = -1;
    /** Marked unread by hand: receipts would undo it at once, so they rest until the room is left. */
    private isMarkerHeld = false;

    constructor(options: RoomSessionOptions) {
        this.options = options;
        this.roomId = options.roomId;
    }

    get state(): Readable<RoomState> {
        return this.observed;
    }

    async open(): Promise<void> {
        this.patch({ phase: "loading", problem: undefined });
        try {
            const [page, marker, { unread }] = await Promise.all([
                fetchEventsBackwards(this.roomId, undefined, FIRST_PAGE),
                fetchReadMarker(this.roomId),
                fetchUnread(this.roomId),
            ]);
            const newest = openTimeline(page);
            // One's own messages after the marker, however many, are nothing unread.
            const line = unread > 0 ? marker : newest.latest;
            const { around } = this.options;
            const timeline = await (around === undefined
                ? this.reachUnread(newest, line)
                : this.reach(newest, around));
            if (!this.isClosed) {
                this.wantedMarker = marker;
                this.patch({ phase: "ready", timeline, marker, line });
                this.follow();
            }
        } catch (thrown) {
            this.fail(thrown);
        }
    }

    close(): void {
        this.isClosed = true;
        clearTimeout(this.reactionTimer);
        this.sendReceipt();
        this.subscription?.close();
    }

    async loadOlder(): Promise<void> {
        const { timeline, isLoadingOlder } = this.observed.get();
        if (isLoadingOlder || !timeline.hasOlder) {
            return;
        }
        this.patch({ isLoadingOlder: true, olderProblem: undefined });
        try {
            const page = await fetchEventsBackwards(this.roomId, timeline.oldest, PAGE);
            this.take((held) => prependPage(held, page));
        } catch (thrown) {
            this.patch({ olderProblem: problemOf(thrown) });
        }
        this.patch({ isLoadingOlder: false });
    }

    /** Makes the window reach back to an index, as far as that is sensible. */
    async loadBackTo(index: number): Promise<void> {
        const { timeline, isLoadingOlder } = this.observed.get();
        if (isLoadingOlder || !timeline.hasOlder || timeline.oldest <= index) {
            return;
        }
        this.patch({ isLoadingOlder: true, olderProblem: undefined });
        try {
            const reached = await this.reach(timeline, index);
            this.take((held) => extendBack(held, reached));
        } catch (thrown) {
            this.patch({ olderProblem: problemOf(thrown) });
        }
        this.patch({ isLoadingOlder: false });
    }

    /** Committed by this page: shown at once, whichever way the tail takes. */
    receive(event: RoomEvent): void {
        this.take((timeline) => receiveEvent(timeline, event));
    }

    /** The person saw everything up to here. */
    read(index: number): void {
        if (this.isMarkerHeld || index <= this.wantedMarker) {
            return;
        }
        this.wantedMarker = index;
        clearTimeout(this.receiptTimer);
        this.receiptTimer = setTimeout(() => this.sendReceipt(), RECEIPT_MS);
    }

    async markUnreadFrom(index: number): Promise<void> {
        clearTimeout(this.receiptTimer);
        this.isMarkerHeld = true;
        this.wantedMarker = index - 1;
        await setReadMarker(this.roomId, { index: index - 1, explicit: true });
        this.patch({ marker: index - 1, line: index - 1 });
    }

    /** Who writes has read: an unread mark set by hand ends, and so does the line. */
    wrote(): void {
        this.isMarkerHeld = false;
        this.patch({ line: this.observed.get().timeline.latest });
    }

    sayTyping(isTyping: boolean): void {
        this.options.socket.sendRealtime(this.roomId, "typing", { is_typing: isTyping });
    }

    /** Others hear of it if they are there; the server tells the sender nothing. */
    react(eventId: string, emoji: string): void {
        this.options.socket.sendRealtime(this.roomId, "reaction", { event_id: eventId, emoji });
        this.takeReaction({ eventId, emoji, who: this.options.ownId, at: Date.now() });
    }

    private takeReaction(reaction: Reaction): void {
        this.patch({ reactions: addReaction(this.observed.get().reactions, reaction) });
        this.sweepReactions();
    }

    private sweepReactions(): void {
        clearTimeout(this.reactionTimer);
        const oldest = this.observed.get().reactions[0];
        if (oldest) {
            const left = oldest.at + REACTION_LASTS_MS - Date.now();
            this.reactionTimer = setTimeout(
                () => {
                    const { reactions } = this.observed.get();
                    this.patch({ reactions: withoutOld(reactions, Date.now()) });
                    this.sweepReactions();
                },
                Math.max(0, left),
            );
        }
    }

    private follow(): void {
        const { timeline } = this.observed.get();
        const from = { epoch: timeline.epoch, index: timeline.latest };
        this.subscription = this.options.socket.subscribe(`room:${this.roomId}`, from, {
            onFrame: (frame) => this.hear(frame),
            onSubscribed: () => this.patch({ people: askWhoIsThere(this.observed.get().people) }),
        });
    }

    private hear(frame: TopicFrame): void {
        switch (frame.type) {
            case "event":
                this.hearEvent(frame.event);
                break;
            case "erased":
                this.take((timeline) =>
                    eraseEvent(
                        timeline,
                        ({ id, index }) => id === frame.event_id || index === frame.index,
                    ),
                );
                break;
            case "resync":
                void this.reload();
                break;
            case "ended":
                this.patch({ phase: "gone" });
                break;
            case "realtime": {
                const reaction = reactionOf(frame.event, Date.now());
                if (reaction) {
                    this.takeReaction(reaction);
                }
                const people = hearRemark(this.observed.get().people, frame.event, Date.now());
                this.patch({ people });
                break;
            }
        }
    }

    private hearEvent(event: RoomEvent): void {
        const { line, timeline, people } = this.observed.get();
        const isLineUsed = timeline.events.some((held) => held.index > line);
        if (!isLineUsed && !document.hasFocus()) {
            // The first thing that comes while nobody looks: the line goes before it.
            this.patch({ line: timeline.latest });
        } else if (!isLineUsed) {
            this.patch({ line: event.index });
        }
        this.patch({ people: hearMessage(people, event.source.participant_id) });
        this.receive(event);
        this.options.onEvent(event);
    }

    /** The position can't be served any more: the same stretch is loaded anew, and the tail goes on. */
    private async reload(): Promise<void> {
        try {
            const page = await fetchEventsBackwards(this.roomId, undefined, PAGE);
            const oldest = this.observed.get().timeline.oldest;
            const timeline = await this.reach(openTimeline(page), oldest);
            this.patch({ timeline });
            this.subscription?.resume({ epoch: timeline.epoch, index: timeline.latest });
        } catch (thrown) {
            this.fail(thrown);
        }
    }

    private async reachUnread(timeline: Timeline, line: number): Promise<Timeline> {
        const isNear = timeline.oldest - line <= UNREAD_PAGES * FAR_PAGE;
        return isNear ? this.reach(timeline, line) : timeline;
    }

    private async reach(timeline: Timeline, index: number): Promise<Timeline> {
        let reached = timeline;
        for (let pages = 0; pages < FAR_PAGES; pages += 1) {
            if (!reached.hasOlder || reached.oldest <= index) {
                break;
            }
            const page = await fetchEventsBackwards(this.roomId, reached.oldest, FAR_PAGE);
            reached = prependPage(reached, page);
        }
        return reached;
    }

    private take(change: (timeline: Timeline) => Timeline): void {
        this.patch({ timeline: change(this.observed.get().timeline) });
    }

    private sendReceipt(): void {
        clearTimeout(this.receiptTimer);
        const index = this.wantedMarker;
        if (this.isMarkerHeld || index <= this.observed.get().marker) {
            return;
        }
        this.patch({ marker: index });
        // A receipt that is lost costs nothing: the next one covers it.
        void setReadMarker(this.roomId, { index }).catch(() => undefined);
    }

    private fail(thrown: unknown): void {
        const problem = problemOf(thrown);
        this.patch({ phase: problem.status === 404 ? "gone" : "failed", problem });
    }

    private patch(change: Partial<RoomState>): void {
        const held = this.observed.get();
        const isSame = (Object.keys(change) as (keyof RoomState)[]).every(
            (name) => held[name] === change[name],
        );
        if (!isSame) {
            this.observed.set({ ...held, ...change });
        }
    }
}
