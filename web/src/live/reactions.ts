// SPDX-License-Identifier: Apache-2.0
// Reactions: passing remarks on a message, seen by who is there. Nothing of them is kept.
import type { RealtimeEvent } from "./frames";

export const REACTIONS = ["👍", "❤️", "😄", "🎉", "🙏", "👀"] as const;

/** As long as a nod is remembered. */
export const REACTION_LASTS_MS = 30_000;
/** More than anybody can look at; the oldest go. */
const MOST_KEPT = 100;

export interface Reaction {
    readonly eventId: string;
    readonly emoji: string;
    readonly who: string;
    readonly at: number;
}

/** Takes one in. The same person's same remark on the same message counts once, and lasts anew. */
export function addReaction(held: readonly Reaction[], added: Reaction): readonly Reaction[] {
    const others = held.filter(
        (each) =>
            each.eventId !== added.eventId || each.emoji !== added.emoji || each.who !== added.who,
    );
    return [...others, added].slice(-MOST_KEPT);
}

/** What a remark of the room says; undefined for anything that is none of ours. */
export function reactionOf(remark: RealtimeEvent, now: number): Reaction | undefined {
    const { event_id: eventId, emoji } = remark.data;
    const known = REACTIONS.find((each) => each === emoji);
    return remark.type === "reaction" && known !== undefined && typeof eventId === "string"
        ? { eventId, emoji: known, who: remark.participant_id, at: now }
        : undefined;
}

export function withoutOld(held: readonly Reaction[], now: number): readonly Reaction[] {
    const kept = held.filter((each) => now - each.at < REACTION_LASTS_MS);
    return kept.length === held.length ? held : kept;
}

/** The remarks on one message, by emoji, in the order of the palette. */
export function reactionsTo(
    held: readonly Reaction[],
    eventId: string,
): { emoji: string; who: string[] }[] {
    return REACTIONS.map((emoji) => ({
        emoji,
        who: held
            .filter((each) => each.eventId === eventId && each.emoji === emoji)
            .map((each) => each.who),
    })).filter(({ who }) => who.length > 0);
}
