// SPDX-License-Identifier: Apache-2.0
// The contrasts of the colours, computed anew from the one file that has them.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

type Colour = [number, number, number];

const css = readFileSync("src/ui/tokens.css", "utf8");

function colourOf(hex: string): Colour {
    const [r = "", g = "", b = ""] = hex.match(/[0-9a-f]{2}/g) ?? [];
    return [r, g, b].map((part) => Number.parseInt(part, 16) / 255) as Colour;
}

function tokens(theme: 0 | 1): Map<string, Colour> {
    const found = css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g);
    return new Map(
        [...found].map(([, name = "", light = "", dark = ""]) => [
            name,
            colourOf(theme === 0 ? light : dark),
        ]),
    );
}

/** Relative luminance as WCAG 2 defines it. */
function luminance(colour: Colour): number {
    const [r, g, b] = colour.map((part) =>
        part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
    ) as Colour;
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: Colour, b: Colour): number {
    const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
}

const GROUNDS = ["canvas", "surface", "sunken"];
const SOFT = ["accent", "ok", "warn", "bad", "info", "agent"];
const TEXT = 4.5;
const SHAPE = 3;

const pairs: [string, string, number][] = [
    ...["text", "text-2", "text-3", ...SOFT].flatMap((ink) =>
        GROUNDS.map((ground): [string, string, number] => [ink, ground, TEXT]),
    ),
    ...SOFT.map((ink): [string, string, number] => [ink, `${ink}-soft`, TEXT]),
    ...SOFT.flatMap((ground): [string, string, number][] =>
        ["text", "text-2", "text-3"].map((ink) => [ink, `${ground}-soft`, TEXT]),
    ),
    ...["edge", "focus"].flatMap((line) =>
        GROUNDS.map((ground): [string, string, number] => [line, ground, SHAPE]),
    ),
    ["on-accent", "accent", TEXT],
];

describe.each([
    ["light", 0],
    ["dark", 1],
] as const)("%s colours", (_name, theme) => {
    const colours = tokens(theme);

    it.each(pairs)("Let %s be read on %s", (ink, ground, least) => {
        const a = colours.get(ink);
        const b = colours.get(ground);
        expect(a && b && contrast(a, b)).toBeGreaterThanOrEqual(least);
    });
});
