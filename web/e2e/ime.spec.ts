// SPDX-License-Identifier: Apache-2.0
// Enter that confirms a Japanese conversion sends nothing; the next one sends once.
import type { Page } from "@playwright/test";
import { composerOf, expect, newRoom, test } from "./check";

async function compose(page: Page, text: string): Promise<void> {
    const devtools = await page.context().newCDPSession(page);
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
    await newRoom(aiko, server.url, "変換");
    const { page } = aiko;
    await composerOf(page).focus();
    await compose(page, "日本語");
    await expect(composerOf(page)).toHaveValue("日本語");
    await expect(page.locator("[data-event-index]")).toHaveCount(0);
    await composerOf(page).press("Enter");
    await expect(page.getByText("日本語", { exact: true })).toHaveCount(1);
    await expect(composerOf(page)).toHaveValue("");
});

test("TheEditBoxWaitsForTheConversion", async ({ server, aiko }) => {
    await newRoom(aiko, server.url, "編集");
    const { page } = aiko;
    await composerOf(page).fill("a");
    await composerOf(page).press("Enter");
    await expect(page.locator("[data-event-index]")).toHaveCount(1);
    await composerOf(page).press("ArrowUp");
    const box = page.getByRole("textbox", { name: "Edit message" });
    await expect(box).toBeFocused();
    await compose(page, "文");
    await expect(box).toBeVisible();
    await box.press("Enter");
    await expect(page.getByText("a文")).toBeVisible();
});

test("ThePaletteWaitsForTheConversion", async ({ server, aiko }) => {
    await newRoom(aiko, server.url, "会議");
    const { page } = aiko;
    await page.keyboard.press("Control+k");
    const field = page.getByRole("searchbox", { name: "Find a room or an action" });
    await expect(field).toBeFocused();
    await compose(page, "会議");
    await expect(field).toBeVisible();
});
