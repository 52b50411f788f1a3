// SPDX-License-Identifier: Apache-2.0
// The two languages have the same words, with the same blanks, and the page uses all of them.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KNOWN_CODES } from "../src/api/problem";
import englishAnswer from "../src/i18n/answer/en.json";
import japaneseAnswer from "../src/i18n/answer/ja.json";
import englishBase from "../src/i18n/en.json";
import japaneseBase from "../src/i18n/ja.json";
import englishKeys from "../src/i18n/keys/en.json";
import japaneseKeys from "../src/i18n/keys/ja.json";
import englishLater from "../src/i18n/later/en.json";
import japaneseLater from "../src/i18n/later/ja.json";
import englishNotices from "../src/i18n/notices/en.json";
import japaneseNotices from "../src/i18n/notices/ja.json";
import englishOperate from "../src/i18n/operate/en.json";
import japaneseOperate from "../src/i18n/operate/ja.json";
import englishWork from "../src/i18n/work/en.json";
import japaneseWork from "../src/i18n/work/ja.json";

const english = {
    ...englishBase,
    ...englishOperate,
    ...englishWork,
    ...englishAnswer,
    ...englishNotices,
    ...englishKeys,
    ...englishLater,
};
const japanese = {
    ...japaneseBase,
    ...japaneseOperate,
    ...japaneseWork,
    ...japaneseAnswer,
    ...japaneseNotices,
    ...japaneseKeys,
    ...japaneseLater,
};

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
    ...["generating", "draft", "failed", "published", "modified"].map(
        (word) => `workflows.${word}`,
    ),
    ...["tasks", "versions", "design"].map((word) => `workflows.tab_${word}`),
    ...["added", "removed", "changed"].map((word) => `workflows.diff_${word}`),
    ...["title", "instructions", "depends_on", "tools", "mocks"].map(
        (word) => `workflows.field_${word}`,
    ),
    ...["empty", "missing_field", "too_long", "malformed", "unknown_value"].map(
        (word) => `workflows.reason_${word}`,
    ),
    ...["running", "completed", "failed", "cancelled"].map((word) => `executions.only_${word}`),
    ...["chat", "graph", "tools", "history"].map((word) => `executions.tab_${word}`),
    ...["running", "queued", "resting", "quarantined", "completed", "cancelled"].map(
        (word) => `executions.is_${word}`,
    ),
    ...["pending", "in_progress", "completed", "failed", "skipped"].map(
        (word) => `executions.task_${word}`,
    ),
    ...["allowed", "mocked", "denied"].map((word) => `executions.call_${word}`),
    ...[
        "api_error",
        "timeout",
        "script_error",
        "invalid_input",
        "permission_denied",
        "rejected",
        "other",
    ].map((word) => `executions.error_${word}`),
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
