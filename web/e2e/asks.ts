// SPDX-License-Identifier: Apache-2.0
// Sessions whose agents ask: for leave, for an answer of some shape, for words.
import type { Locator, Page } from "@playwright/test";
import { askedBy, makeAgent, makeSession, saidIn } from "./agent";
import { test as base, expect, type Person, remove } from "./check";

const ORDER = {
    type: "object",
    properties: {
        carrier: { type: "string", title: "Carrier", enum: ["Yamato", "Sagawa"] },
        weight: { type: "number", title: "Weight", minimum: 0.1, maximum: 30 },
        day: { type: "string", format: "date", title: "Day" },
        mail: { type: "string", format: "email", title: "Email" },
        boxes: { type: "integer", title: "Boxes", default: 1 },
        isInsured: { type: "boolean", title: "Insured" },
        extras: { type: "array", title: "Extras", items: { enum: ["gift wrap", "note", 7] } },
        marks: { type: "array", title: "Marks", items: { type: "string" } },
        to: {
            type: "object",
            title: "Receiver",
            properties: { name: { type: "string", title: "Full name" } },
            required: ["name"],
        },
        remarks: { type: "string", title: "Wishes", maxLength: 500 },
    },
    required: ["carrier", "weight", "isInsured", "to"],
};

const RANGES = {
    type: "array",
    items: {
        type: "object",
        properties: { from: { type: "integer" }, to: { type: "integer" } },
        required: ["from", "to"],
    },
};

/** Turns, tags, a line without an end: nothing of it is more than a title. */
export const HOSTILE = `<img src=x onerror="document.title='broken'"> \u202egnp.exe ${"w".repeat(300)}`;

const SCRIPT = [
    `when says "delete"`,
    `    call request_approval ${JSON.stringify({
        title: "Delete the old orders?",
        description: "All of them.",
        tools: [
            { tool: "read_messages", arguments: { limit: 1, note: "a\u202eb" } },
            { tool: "read_messages", uses: 3 },
        ],
        expires_in_seconds: 7200,
    })}`,
    `    if worked say Deleted.`,
    `    if failed say I was told: $result.response`,
    `when says "hurry"`,
    `    call request_approval {"title": "Now?", "expires_in_seconds": 4}`,
    `    if failed say Too late.`,
    `when says "hostile"`,
    `    call request_approval ${JSON.stringify({ title: HOSTILE, description: HOSTILE })}`,
    `    if failed say No.`,
    `when says "order"`,
    `    call ask_user ${JSON.stringify({ question: "How shall it be sent?", schema: ORDER })}`,
    `    if worked say Order: $result`,
    `    if failed say No order.`,
    `when says "ranges"`,
    `    call ask_user ${JSON.stringify({ question: "Which ranges?", schema: RANGES })}`,
    `    if worked say Ranges: $result`,
    `when says "anything"`,
    `    ask What shall I call it?`,
    `    if worked say It is called $result`,
].join("\n");

export interface Asked {
    room: string;
    id: string;
    card: (page: Page) => Locator;
}

/** A session whose agent asks; it is gone with the check, so that nothing waits in the next one. */
export const test = base.extend<{
    asks: (words: string, more?: { approvers?: string[]; name?: string }) => Promise<Asked>;
}>({
    asks: async ({ server, aiko, ben }, use) => {
        const rooms: string[] = [];
        await use(async (words, { approvers = [], name = "Orders" } = {}) => {
            const agent = await makeAgent(aiko, server.url, "Clerk", SCRIPT, { approvers });
            const room = await makeSession(aiko, server.url, name, agent, [ben]);
            rooms.push(room);
            const id = await askedBy(aiko, server.url, room, words);
            return { room, id, card: (page) => page.locator(`[data-approval="${id}"]`) };
        });
        // What looks at a room that goes is told so, and notes it in the console.
        for (const { page } of [aiko, ben]) {
            await page.goto("about:blank");
        }
        for (const room of rooms) {
            await remove(aiko, server.url, `rooms/${room}`);
        }
    },
});

export function button(place: Locator | Page, name: string) {
    return place.getByRole("button", { name, exact: true });
}

export async function heardFrom(
    person: Person,
    url: string,
    room: string,
    words: string,
): Promise<void> {
    await expect.poll(() => saidIn(person, url, room)).toContain(words);
}

/** From the next page on. */
export async function speak(page: Page, language: "en" | "ja", theme = "light"): Promise<void> {
    await page.evaluate(
        (preferences) => localStorage.setItem("convene.preferences", preferences),
        JSON.stringify({ language, theme }),
    );
}
