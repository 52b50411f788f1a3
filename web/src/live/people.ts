// SPDX-License-Identifier: Apache-2.0
// Who types and who is there, as far as the room's passing remarks tell. Nothing here is kept.
import type { RealtimeEvent } from "./frames";

/** A remark about typing falls by itself: the one that ends it may never come. */
export const TYPING_LASTS_MS = 6_000;

/** `unknown` is not `offline`: nothing was told, so nothing is claimed. */
export type PresenceState = "online" | "offline" | "unknown";

export interface People {
    readonly typing: ReadonlyMap<string, number>;
    /** Who is connected; undefined until the server begins to tell. */
    readonly present: ReadonlySet<string> | undefined;
}

export const nobody: People = { typing: new Map(), present: undefined };

/** A subscription began: the server now tells everybody who is there, and nobody else is. */
export function askWhoIsThere(people: People): People {
    return { ...people, present: new Set() };
}

function withTyping(people: People, who: string, at: number | undefined): People {
    const typing = new Map(people.typing);
    typing.delete(who);
    if (at !== undefined) {
        typing.set(who, at);
    }
    return { ...people, typing };
}

/** Takes in a remark. */
export function hearRemark(people: People, remark: RealtimeEvent, now: number): People {
    const who = remark.participant_id;
    if (remark.type === "typing") {
        return withTyping(people, who, remark.data.is_typing === true ? now : undefined);
    }
    if (remark.type === "presence") {
        const present = new Set(people.present);
        if (remark.data.status === "online") {
            present.add(who);
        } else {
            present.delete(who);
        }
        return { ...people, present };
    }
    return people;
}

/** Whoever said something has stopped typing it. */
export function hearMessage(people: People, who: string): People {
    return people.typing.has(who) ? withTyping(people, who, undefined) : people;
}

export function typingNow(people: People, now: number): string[] {
    return [...people.typing].filter(([, at]) => now - at < TYPING_LASTS_MS).map(([who]) => who);
}

export function presenceOf(people: People, who: string): PresenceState {
    if (!people.present) {
        return "unknown";
    }
    return people.present.has(who) ? "online" : "offline";
}
