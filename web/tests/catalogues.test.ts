// SPDX-License-Identifier: Apache-2.0
// The two languages have the same words, with the same blanks, and the page uses all of them.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KNOWN_CODES } from "../src/api/problem";
import english from "../src/i18n/en.json";
import japanese from "../src/i18n/ja.json";

type Catalogue = Record<string, Record<string, string>>;

function keysOf(catalogue: Catalogue): string[] {
    return Object.entries(catalogue).flatMap(([area, words]) =>
        Object.keys(words).map((word) => `${area}.${word}`),
    );
}

function blanksOf(text: string): string[] {
    const names = [...text.matchAll(/\{(\w+)/g)].map((match) => match[1] ?? "");
    return [...new Set(names)].sort();
}

function sources(): string {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" });
    return files
        .filter((file) => /\.tsx?$/.test(file) && !file.endsWith("types.ts"))
        .map((file) => readFileSync(`src/${file}`, "utf8"))
        .join("\n");
}

/** Keys that are put together at run time, by what they are put together from. */
const COMPUTED = [
    ...KNOWN_CODES.map((code) => `problem.${code}`),
    ...["en", "ja", "system", "light", "dark", "local", "utc", "theme", "language", "time"].map(
        (word) => `account.${word}`,
    ),
    ...["open", "connecting", "waiting", "closed", "refused"].map((word) => `connection.${word}`),
    ...["finished", "cancelled", "failed", "interrupt"].map((word) => `agent.${word}Notice`),
    ...["close", "archive", "leave", "delete"].flatMap((word) => [
        `roomMenu.${word}`,
        `roomMenu.${word}Title`,
        `roomMenu.${word}Text`,
    ]),
    ...["member", "operator", "admin"].flatMap((word) => [`roles.${word}`, `admin.${word}Help`]),
    ...["enter", "ctrlEnter"].map((word) => `settings.${word}`),
    ...["held", "suspect", "lost"].map((word) => `leases.${word}`),
    ...["live", "draining", "dead"].map((word) => `ops.${word}`),
    ...["active", "paused", "closed", "archived"].map((word) => `rooms.${word}`),
    ...["owner", "member", "agent", "observer", "bot", "online", "offline", "unknown"].map(
        (word) => `people.${word}`,
    ),
];

describe("catalogues", () => {
    it("HaveEqualKeys", () => {
        expect(keysOf(japanese)).toEqual(keysOf(english));
    });

    it("HaveEqualBlanks", () => {
        for (const [area, words] of Object.entries(english as Catalogue)) {
            for (const [word, text] of Object.entries(words)) {
                const other = (japanese as Catalogue)[area]?.[word] ?? "";
                expect(blanksOf(other), `${area}.${word}`).toEqual(blanksOf(text));
            }
        }
    });

    it("HaveNoEmptyWord", () => {
        for (const catalogue of [english, japanese] as Catalogue[]) {
            const words = Object.values(catalogue).flatMap((area) => Object.values(area));
            expect(words.filter((word) => word.trim() === "")).toEqual([]);
        }
    });

    it("AreUsedCompletely", () => {
        const code = sources();
        const isUsed = (key: string) => {
            const word = key.split(".")[1] ?? "";
            return (
                COMPUTED.includes(key) || code.includes(`"${key}"`) || code.includes(`"${word}"`)
            );
        };
        expect(keysOf(english).filter((key) => !isUsed(key))).toEqual([]);
    });
});
