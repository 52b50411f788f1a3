// SPDX-License-Identifier: Apache-2.0
// Naming people in a message: what is being typed after an @, who is meant, and whom a text names.
import type { Participant, RoomEvent } from "../api/model";
import { folded } from "./folded";

/** An @ and the beginning of a name, up to where one writes. */
export interface MentionQuery {
    /** Where the @ stands. */
    readonly start: number;
    readonly wanted: string;
}

const LONGEST_QUERY = 40;
export const MOST_SUGGESTED = 6;

/** What of a name is typed; undefined where no name is begun. */
export function mentionAt(text: string, caret: number): MentionQuery | undefined {
    const start = text.lastIndexOf("@", caret - 1);
    if (start < 0 || caret - start > LONGEST_QUERY) {
        return undefined;
    }
    // In the middle of a word it is an address, not a name.
    const isWordBefore = /[\p{L}\p{N}._-]$/u.test(text.slice(0, start));
    const wanted = text.slice(start + 1, caret);
    return isWordBefore || /[\n@]/.test(wanted) || wanted.startsWith(" ")
        ? undefined
        : { start, wanted };
}

/** Who may be meant: names that begin so first, then those with a part that begins so. */
export function suggested(
    people: readonly Participant[],
    wanted: string,
    ownId: string,
): Participant[] {
    const beginning = folded(wanted);
    const rank = (person: Participant) => {
        const name = folded(person.display_name);
        if (name.startsWith(beginning)) {
            return 0;
        }
        return name.split(/\s+/).some((part) => part.startsWith(beginning)) ? 1 : 2;
    };
    return people
        .filter((person) => person.status === "active" && person.id !== ownId)
        .filter((person) => person.display_name !== "" && rank(person) < 2)
        .sort((a, b) => rank(a) - rank(b) || a.display_name.localeCompare(b.display_name))
        .slice(0, MOST_SUGGESTED);
}

/** The text with the name in place of what was typed of it, and where one writes on. */
export function withMention(
    text: string,
    query: MentionQuery,
    name: string,
): { text: string; caret: number } {
    const head = `${text.slice(0, query.start)}@${name} `;
    const rest = text.slice(query.start + 1 + query.wanted.length).replace(/^ /, "");
    return { text: head + rest, caret: head.length };
}

/** A letter or digit, but of no script that writes words without spaces between them. */
const GOES_ON = /^(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}]/u;

type Named = Pick<Participant, "display_name">;

/** A text in parts: plain, and the names in it that have an @ before them. */
export function splitMentions<Person extends Named>(
    text: string,
    people: readonly Person[],
): { text: string; person?: Person }[] {
    const parts: { text: string; person?: Person }[] = [];
    // Longest first, so that none hides in another.
    const names = people
        .filter((person) => person.display_name !== "")
        .sort((a, b) => b.display_name.length - a.display_name.length);
    let from = 0;
    for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
        const named = names.find((person) => text.startsWith(person.display_name, at + 1));
        const end = at + 1 + (named?.display_name.length ?? 0);
        // The word goes on: then it is the name of somebody else.
        if (named && !GOES_ON.test(text.slice(end)) && at >= from) {
            parts.push({ text: text.slice(from, at) });
            parts.push({ text: text.slice(at, end), person: named });
            from = end;
        }
    }
    parts.push({ text: text.slice(from) });
    return parts.filter((part) => part.text !== "");
}

/** Whom a text names. */
export function mentionedIn(text: string, people: readonly Participant[]): string[] {
    const ids = splitMentions(
        text,
        people.filter((person) => person.status === "active"),
    ).flatMap((part) => part.person?.id ?? []);
    return [...new Set(ids)];
}

/** The participants that an event says it names. */
export function mentionsOf(event: RoomEvent): readonly string[] {
    const { mentions } = event.metadata;
    return Array.isArray(mentions) ? mentions.filter((id) => typeof id === "string") : [];
}
