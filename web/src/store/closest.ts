// SPDX-License-Identifier: Apache-2.0
// Finding by what somebody types: what fits best stands first, where Enter takes it.
import { folded } from "./folded";

function distance(text: string, wanted: string): number {
    const at = text.indexOf(wanted);
    if (at === 0) {
        return text.length === wanted.length ? 0 : 1;
    }
    const isWord = at > 0 && !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "");
    return isWord ? 2 : 3;
}

/** Those whose text has what is wanted in it: the same text, one that begins with it, one with a word that does, any other. */
export function closest<Entry extends { text: string }>(
    entries: readonly Entry[],
    wanted: string,
): Entry[] {
    const sought = folded(wanted.trim());
    return entries
        .map((entry) => ({ entry, text: folded(entry.text) }))
        .filter(({ text }) => text.includes(sought))
        .map(({ entry, text }) => ({ entry, far: distance(text, sought) }))
        .sort((a, b) => a.far - b.far)
        .map(({ entry }) => entry);
}
