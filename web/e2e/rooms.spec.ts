// SPDX-License-Identifier: Apache-2.0
// A room as a whole: its name, its people, its end.
import { bringIn, composerOf, enterRoom, expect, newRoom, say, settled, test } from "./check";

test("ARoomIsRenamedForEverybody", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Before");
    await bringIn(aiko, server.url, room, ben);
    await enterRoom(ben, server.url, room);
    await aiko.page.getByRole("button", { name: "Actions for this room" }).click();
    await aiko.page.getByRole("menuitem", { name: "Rename" }).click();
    await aiko.page.getByRole("textbox", { name: "Name" }).fill("After");
    await aiko.page.getByRole("button", { name: "Save" }).click();
    for (const { page } of [aiko, ben]) {
        await expect(page.getByRole("heading", { level: 1, name: "After" })).toBeVisible();
        await expect(page.getByRole("link", { name: /^After/ })).toBeVisible();
    }
});

test("AClosedRoomIsReadAndOpenedAgain", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Closing time");
    await bringIn(aiko, server.url, room, ben);
    await say(aiko.page, "the last word");
    await enterRoom(ben, server.url, room);
    await aiko.page.getByRole("button", { name: "Actions for this room" }).click();
    await aiko.page.getByRole("menuitem", { name: "Close room" }).click();
    await aiko.page.getByRole("button", { name: "Close room" }).click();
    for (const { page } of [aiko, ben]) {
        await expect(page.getByText("It can be read, not written to.")).toBeVisible();
        await expect(composerOf(page)).toHaveCount(0);
        await expect(page.getByText("the last word")).toBeVisible();
    }
    await ben.page.getByRole("button", { name: "Reopen room" }).click();
    await expect(composerOf(ben.page)).toBeVisible();
    await expect(composerOf(aiko.page)).toBeVisible();
});

test("PeopleAreAddedGivenARoleAndTakenOut", async ({ server, aiko, ben }) => {
    await newRoom(aiko, server.url, "Company");
    const { page } = aiko;
    await page.getByRole("button", { name: "1 person" }).click();
    const panel = page.getByRole("complementary");
    await panel.getByRole("button", { name: "Add people" }).click();
    await page.getByRole("textbox", { name: "Name or email address" }).fill("BEN@");
    await page.getByRole("button", { name: "Add Ben" }).click();
    await expect(page.getByText("Nobody else to add.")).toBeVisible();
    await page.getByRole("button", { name: "Done" }).click();
    await expect(panel.getByText("Ben", { exact: true })).toBeVisible();
    await ben.page.goto(`${server.url}/rooms`);
    await expect(ben.page.getByRole("link", { name: /^Company/ })).toBeVisible();

    const row = panel.getByRole("listitem").filter({ hasText: "Ben" });
    await row.getByRole("button", { name: "Actions for Ben" }).click();
    await page.getByRole("menuitemradio", { name: "Owner" }).click();
    await expect(row).toContainText("Owner");
    await row.getByRole("button", { name: "Actions for Ben" }).click();
    await page.getByRole("menuitem", { name: "Remove from room" }).click();
    await page.getByRole("button", { name: "Remove from room" }).click();
    await expect(row).toContainText("Left the room");
});

test.describe("what is gone", () => {
    // Whoever had it open asks for it once more, which browsers note in the console.
    test.use({ allowed: /status of 404/ });

    test("ADeletedRoomIsGoneForEverybody", async ({ server, aiko, ben }) => {
        const room = await newRoom(aiko, server.url, "Short life");
        await enterRoom(ben, server.url, room);
        await aiko.page.getByRole("button", { name: "Actions for this room" }).click();
        await aiko.page.getByRole("menuitem", { name: "Delete room" }).click();
        await aiko.page.getByRole("button", { name: "Cancel" }).click();
        await expect(composerOf(aiko.page)).toBeVisible();
        await aiko.page.getByRole("button", { name: "Actions for this room" }).click();
        await aiko.page.getByRole("menuitem", { name: "Delete room" }).click();
        await aiko.page.getByRole("button", { name: "Delete room" }).click();
        await aiko.page.waitForURL("**/rooms");
        await expect(aiko.page.getByRole("link", { name: /^Short life/ })).toHaveCount(0);
        await expect(ben.page.getByText("There is no such room")).toBeVisible();
    });
});

test("ReactionsAreSeenByWhoIsThereAndMoveNothing", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Nods");
    await bringIn(aiko, server.url, room, ben);
    await say(aiko.page, "good news");
    await say(aiko.page, "and more");
    await enterRoom(ben, server.url, room);
    const first = aiko.page.locator('[data-event-index="0"]');
    const second = aiko.page.locator('[data-event-index="1"]');
    await expect(second).toBeVisible();
    await settled(aiko.page);
    // Both: a row that grows moves the one above it, as the end stays where it is.
    const boxes = () => Promise.all([first.boundingBox(), second.boundingBox()]);
    const before = await boxes();
    await ben.page.locator('[data-event-index="0"]').hover();
    await ben.page
        .locator('[data-event-index="0"]')
        .getByRole("button", { name: "React", exact: true })
        .click();
    await ben.page.getByRole("button", { name: "React with 🎉" }).click();
    for (const { page } of [aiko, ben]) {
        const nods = page
            .locator('[data-event-index="0"]')
            .getByRole("list", { name: "Reactions" });
        await expect(nods).toContainText("🎉");
        await expect(nods).toContainText("Ben");
    }
    await settled(aiko.page);
    expect(await boxes()).toEqual(before);
    await expect(aiko.page.locator("output")).toHaveText("Ben reacts with 🎉 to your message");
});
