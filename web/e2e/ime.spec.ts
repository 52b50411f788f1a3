// SPDX-License-Identifier: Apache-2.0
// Enter that confirms a Japanese conversion sends nothing; the next one sends once.
import type { CDPSession, Page } from "@playwright/test";
import { composerOf, eventsOf, expect, newRoom, test } from "./check";

async function compose(page: Page, text: string): Promise<void> {
    const devtools = await page.context().newCDPSession(page);
    await composeWith(devtools, text);
    await devtools.detach();
}

async function composeWith(devtools: CDPSession, text: string): Promise<void> {
    await devtools.send("Input.imeSetComposition", {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
    });
    // The key of a composition is reported as 229, as browsers on the desktop do.
    const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 };
    await devtools.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
    await devtools.send("Input.insertText", { text });
    await devtools.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
}

test("TheComposerWaitsForTheConversion", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "変換");
    const { page } = aiko;
    await composerOf(page).focus();
    await compose(page, "日本語");
    await expect(composerOf(page)).toHaveValue("日本語");
    expect(await eventsOf(aiko, server.url, room)).toEqual([]);
    await composerOf(page).press("Enter");
    await expect(composerOf(page)).toHaveValue("");
    await expect(page.locator('[data-event-index="0"]')).toContainText("日本語");
    const events = await eventsOf(aiko, server.url, room);
    expect(events.map(({ content }) => content.body)).toEqual(["日本語"]);
});

test("TheEditBoxWaitsForTheConversion", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "編集");
    const { page } = aiko;
    await composerOf(page).fill("a");
    await composerOf(page).press("Enter");
    await expect(page.locator("[data-event-index]")).toHaveCount(1);
    await composerOf(page).press("ArrowUp");
    const box = page.getByRole("textbox", { name: "Edit message" });
    await expect(box).toBeFocused();
    await compose(page, "文");
    await expect(box).toHaveValue("a文");
    expect((await eventsOf(aiko, server.url, room)).map(({ type }) => type)).toEqual(["message"]);
    await box.press("Enter");
    await expect(box).toHaveCount(0);
    await expect(page.getByText("a文")).toBeVisible();
    const types = (await eventsOf(aiko, server.url, room)).map(({ type }) => type);
    expect(types).toEqual(["message", "edit"]);
});

test("ThePaletteWaitsForTheConversion", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "会議の準備");
    await newRoom(aiko, server.url, "ほかのルーム");
    const { page } = aiko;
    await page.keyboard.press("Control+k");
    const field = page.getByRole("searchbox", { name: "Find a room or an action" });
    await expect(field).toBeFocused();
    await compose(page, "会議");
    await expect(field).toHaveValue("会議");
    await expect(page.getByRole("heading", { level: 1, name: "ほかのルーム" })).toBeAttached();
    await field.press("Enter");
    await page.waitForURL(`**/rooms/${room}`);
    await expect(field).toHaveCount(0);
});

test("ThePaletteKeepsAConversionThatBeginsWhileItIsStillBeingBuilt", async ({ server, aiko }) => {
    await newRoom(aiko, server.url, "会議の準備");
    const { page } = aiko;
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    for (let round = 0; round < 8; round += 1) {
        await page.keyboard.press("Control+k");
        const field = page.getByRole("searchbox", { name: "Find a room or an action" });
        await expect(field).toBeFocused();
        await composeWith(devtools, "会議");
        await expect(field).toHaveValue("会議");
        // Empties the field, then closes.
        await field.press("Escape");
        await field.press("Escape");
        await expect(field).toHaveCount(0);
    }
});

test("AKeyOfAConversionThatHasJustEndedActsOnNothing", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "確定");
    const { page } = aiko;
    const devtools = await page.context().newCDPSession(page);
    // As Safari does: the composition ends first, and only the code of the key tells.
    const press = async (name: string) => {
        const key = { key: name, code: name, windowsVirtualKeyCode: 229 };
        await devtools.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
        await devtools.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
    };
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("searchbox", { name: "Find a room or an action" });
    await expect(palette).toBeFocused();
    await page.keyboard.insertText("確定");
    await expect(page.getByRole("option")).toHaveCount(1);
    await press("Enter");
    await expect(palette).toHaveValue("確定");
    await palette.press("Escape");
    await palette.press("Escape");

    await composerOf(page).fill("日本語");
    await press("Enter");
    await expect(composerOf(page)).toHaveValue("日本語");
    expect(await eventsOf(aiko, server.url, room)).toEqual([]);
    await composerOf(page).press("Enter");
    await expect(page.locator("[data-event-index]")).toHaveCount(1);

    await page.locator("[data-event-index]").hover();
    await page.getByRole("button", { name: "Reply in thread" }).click();
    const thread = page.getByRole("textbox", { name: "Reply in thread" });
    await expect(thread).toBeFocused();
    await page.keyboard.insertText("返信");
    await press("Escape");
    await expect(thread).toHaveValue("返信");
    await thread.press("Escape");
    await expect(thread).toHaveCount(0);
});

test("TheFieldForANameWaitsForTheConversion", async ({ server, aiko }) => {
    await newRoom(aiko, server.url, "旧");
    const { page } = aiko;
    await page.getByRole("button", { name: "Actions for this room" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    const field = page.getByRole("textbox", { name: "Name" });
    await field.fill("");
    await compose(page, "新しい名前");
    await expect(page.getByRole("dialog")).toBeVisible();
    await field.press("Enter");
    await expect(page.getByRole("heading", { level: 1, name: "新しい名前" })).toBeVisible();
});
