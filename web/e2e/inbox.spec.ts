// SPDX-License-Identifier: Apache-2.0
// What needs the person: being named, what is unread, and nothing once it is dealt with.
import { bringIn, composerOf, eventsOf, expect, newRoom, say, test, userOf } from "./check";

test("WhoIsNamedFindsItInTheInbox", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Naming");
    await bringIn(aiko, server.url, room, ben);
    await ben.page.goto(`${server.url}/inbox`);
    await ben.page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();

    await say(aiko.page, "nobody is meant");
    await composerOf(aiko.page).fill("ask ");
    await composerOf(aiko.page).pressSequentially("@be");
    await expect(aiko.page.getByRole("option", { name: "Ben" })).toBeVisible();
    await aiko.page.keyboard.press("Tab");
    await expect(composerOf(aiko.page)).toHaveValue("ask @Ben ");
    await aiko.page.keyboard.type("about **it**");
    await aiko.page.keyboard.press("Enter");
    await expect(aiko.page.locator("[data-pending]")).toHaveCount(0);

    const { id } = await userOf(ben, server.url);
    const events = await eventsOf(aiko, server.url, room);
    expect(events.map(({ metadata }) => metadata.mentions)).toEqual([undefined, [id]]);

    const mentions = ben.page.getByRole("region", { name: "Mentions" });
    await expect(mentions.getByRole("link", { name: /ask @Ben about it/ })).toBeVisible();
    await expect(mentions).not.toContainText("nobody is meant");
    await expect(
        ben.page.getByRole("navigation").getByRole("link", { name: /Inbox/ }),
    ).toContainText("1 mention");
    await mentions.getByRole("link", { name: /ask @Ben/ }).click();
    await ben.page.waitForURL(`**/rooms/${room}?at=1`);
    await expect(ben.page.locator('[data-event-index="1"]')).toBeInViewport();
    await ben.page.goto(`${server.url}/inbox`);
    await expect(ben.page.getByRole("article", { name: "Naming" })).toHaveCount(0);
});

test("MarkedReadInTheInboxIsReadEverywhere", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Skimmed");
    await bringIn(aiko, server.url, room, ben);
    const other = await ben.context.newPage();
    await other.goto(`${server.url}/rooms`);
    await ben.page.goto(`${server.url}/inbox`);
    await say(aiko.page, "for your information");
    const card = ben.page.getByRole("article", { name: "Skimmed" });
    await expect(card).toContainText("for your information");
    const row = other.getByRole("link", { name: /^Skimmed/ });
    await expect(row).toContainText("1 unread message");
    await card.getByRole("button", { name: "Mark Skimmed read" }).click();
    await expect(card).toHaveCount(0);
    await expect(row).not.toContainText("unread");
});

test("NothingUnreadSaysSo", async ({ server, ben }) => {
    await ben.page.goto(`${server.url}/inbox`);
    const all = ben.page.getByRole("button", { name: "Mark all read" });
    const empty = ben.page.getByText("Nothing needs you");
    await all.or(empty).first().waitFor();
    if (await all.isVisible()) {
        await all.click();
    }
    await expect(empty).toBeVisible();
});
