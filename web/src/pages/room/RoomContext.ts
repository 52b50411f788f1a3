// SPDX-License-Identifier: Apache-2.0
// What the parts of an open room share.
import { createContext, type RefObject, useContext } from "react";
import type { MediaContent, Participant, RoomDetail, RoomEvent } from "../../api/model";
import type { AgentSession } from "../../store/agentSession";
import type { Deletions } from "../../store/deletions";
import type { Folds } from "../../store/folds";
import type { RoomSession } from "../../store/roomSession";

/** What others may do with a field one writes in. */
export interface ComposerHandle {
    focus(): void;
    /** Puts back what could not be sent. */
    put(text: string, files: readonly MediaContent[]): void;
}

export interface OpenRoom {
    room: RoomSession;
    detail: RoomDetail | undefined;
    participants: ReadonlyMap<string, Participant>;
    ownId: string;
    deletions: Deletions;
    /** The message that is being edited, and where: the same one may stand in the thread, too. */
    editing: { eventId: string; place: Place } | undefined;
    edit(eventId: string | undefined, place: Place): void;
    openThread(rootId: string): void;
    composers: Record<Place, RefObject<ComposerHandle | null>>;
    nameOf(event: RoomEvent): string;
    nameOfUser(userId: string): string;
    /** What drives the room, if something does. */
    agent: AgentSession | undefined;
    agentName: string;
    folds: Folds;
    /** Goes to the newest line and follows it. */
    showEnd: RefObject<() => void>;
}

export type Place = "timeline" | "thread";

export const RoomContext = createContext<OpenRoom | undefined>(undefined);

/** As far as is known: a room that was closed is read only. */
export function isOpenToWrite(detail: RoomDetail | undefined): boolean {
    return detail === undefined || !["closed", "archived"].includes(detail.status);
}

export function useOpenRoom(): OpenRoom {
    const room = useContext(RoomContext);
    if (!room) {
        throw new Error("a part of a room stands outside of it");
    }
    return room;
}
