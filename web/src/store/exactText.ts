// SPDX-License-Identifier: Apache-2.0
// Text of others where it must not pass for something else: nothing in it turns it round, and nothing in it is unseen.

/** Marks that turn the direction of the text behind them. */
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** For names and titles, which stand among words of ours. */
export function withoutTurns(text: string): string {
    return text.replace(TURNS, "");
}

/** What takes no place or another one than it seems: turns, zero widths, controls, odd spaces, halves of pairs. */
const UNSEEN =
    /[\u007f-\u00a0\u00ad\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Cs}/gu;

function spelled(character: string): string {
    return [...Array(character.length).keys()]
        .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
        .join("");
}

/** A value as JSON in which whatever can't be seen is spelled out: it is read before it is allowed. */
export function exactJson(value: unknown): string {
    return (JSON.stringify(value, null, 2) ?? "null").replace(UNSEEN, spelled);
}

const SHORT = { letters: 400, lines: 10 };

/** The `tabIndex` of a box that scrolls where its text is long: a short one is no stop for the keyboard. */
export function stopOf(text: string): 0 | undefined {
    const isShort = text.length <= SHORT.letters && text.split("\n").length <= SHORT.lines;
    return isShort ? undefined : 0;
}
