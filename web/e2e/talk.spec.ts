// SPDX-License-Identifier: Apache-2.0
// Two people talk: what one writes the other reads, in one order for both.
import { composerOf, enterRoom, eventsOf, expect, newRoom, say, shownTexts, test } from "./check";

test("WhatOneWritesTheOtherReads", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Kitchen");
    await enterRoom(ben, server.url, room);
    await say(aiko.page, "Hello Ben, **bold** and <b>not HTML</b>");
    await expect(ben.page.getByText("Hello Ben, bold and <b>not HTML</b>")).toBeVisible();
    await say(ben.page, "こんにちは");
    await expect(aiko.page.getByText("こんにちは")).toBeVisible();
    await expect(aiko.page.locator("[data-pending]")).toHaveCount(0);
});

test("BothSeeTheSameOrderWhenBothWriteAtOnce", async ({ server, aiko, ben }) => {
    test.slow();
    const count = 200;
    const room = await newRoom(aiko, server.url, "Race");
    await enterRoom(ben, server.url, room);
    const write = async (page: typeof aiko.page, who: string) => {
        for (let at = 0; at < count; at += 1) {
            await say(page, `${who} ${at}`);
        }
    };
    await Promise.all([write(aiko.page, "aiko"), write(ben.page, "ben")]);
    await expect(aiko.page.locator("[data-pending]")).toHaveCount(0);
    await expect(ben.page.locator("[data-pending]")).toHaveCount(0);
    // Whoever was last: both follow the end.
    for (const { page } of [aiko, ben]) {
        const last = page.locator(`[data-event-index="${2 * count - 1}"]`);
        await expect(last).toBeVisible({ timeout: 60_000 });
    }

    const [atAiko, atBen] = [await shownTexts(aiko.page), await shownTexts(ben.page)];
    const inOrder = (shown: Map<number, string>) => [...shown].sort(([a], [b]) => a - b);
    expect(inOrder(atAiko)).toEqual(inOrder(atBen));
    // No hole and no repeat: every index once, from the first to the last.
    const indexes = inOrder(atAiko).map(([index]) => index);
    expect(indexes).toEqual(Array.from({ length: 2 * count }, (_, at) => at));
    const stored = await eventsOf(aiko, server.url, room);
    expect(inOrder(atAiko).map(([, text]) => text)).toEqual(
        stored.map(({ content }) => content.body),
    );
    const texts = [...atAiko.values()];
    expect(new Set(texts).size).toBe(texts.length);
    for (const who of ["aiko", "ben"]) {
        const own = [...atAiko]
            .sort(([a], [b]) => a - b)
            .map(([, text]) => text)
            .filter((text) => text.startsWith(who));
        expect(own).toEqual(Array.from({ length: count }, (_, at) => `${who} ${at}`));
    }
});

test("TypingIsSeenAndFalls", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Typing");
    await say(aiko.page, "first");
    await enterRoom(ben, server.url, room);
    await expect(ben.page.getByText("first")).toBeVisible();
    await composerOf(aiko.page).pressSequentially("some");
    await expect(ben.page.getByTestId("typing")).toContainText("typing");
    await composerOf(aiko.page).fill("");
    await expect(ben.page.getByTestId("typing")).toBeEmpty();
});

test("AnAnswerInAThreadStandsInBoth", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Threads");
    await say(aiko.page, "the root");
    await enterRoom(ben, server.url, room);
    await ben.page.getByText("the root").hover();
    await ben.page.getByRole("button", { name: "Reply in thread" }).click();
    const field = ben.page.getByRole("textbox", { name: "Reply in thread" });
    await field.fill("the answer");
    await field.press("Enter");
    await expect(ben.page.getByRole("complementary").getByText("the answer")).toBeVisible();
    await expect(aiko.page.getByRole("button", { name: "1 reply" })).toBeVisible();
    await expect(aiko.page.getByText("the answer")).toBeVisible();
});

test("UpEditsTheLastOwnMessage", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Edits");
    await say(aiko.page, "teh end");
    await enterRoom(ben, server.url, room);
    await expect(aiko.page.locator("[data-event-index]")).not.toHaveCount(0);
    await composerOf(aiko.page).press("ArrowUp");
    const box = aiko.page.getByRole("textbox", { name: "Edit message" });
    await box.fill("the end");
    await box.press("Enter");
    await expect(ben.page.getByText("the end")).toBeVisible();
    await expect(ben.page.getByText("edited")).toBeVisible();
    await expect(composerOf(aiko.page)).toBeFocused();
});

test("ADeletionCanBeTakenBackForFiveSeconds", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Deletions");
    await say(aiko.page, "to be kept");
    await say(aiko.page, "to be deleted");
    await enterRoom(ben, server.url, room);
    const remove = async (text: string) => {
        const row = aiko.page.getByRole("listitem").filter({ hasText: text });
        await row.hover();
        await row.getByRole("button", { name: "Actions for this message" }).click();
        await aiko.page.getByRole("menuitem", { name: "Delete" }).click();
    };
    await remove("to be kept");
    await aiko.page.getByRole("button", { name: "Undo" }).click();
    await remove("to be deleted");
    await expect(ben.page.getByText("This message was deleted")).toBeVisible();
    await expect(ben.page.getByText("to be kept")).toBeVisible();
    await expect(ben.page.getByText("to be deleted")).toHaveCount(0);
});
