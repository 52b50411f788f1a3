// SPDX-License-Identifier: Apache-2.0
// Everybody can use it: by keyboard alone, and with nothing that axe finds serious.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { composerOf, expect, newRoom, say, test } from "./check";

test("KeyboardAloneIsEnough", async ({ server, aiko }) => {
    await newRoom(aiko, server.url, "By keys");
    const { page } = aiko;
    await page.goto(`${server.url}/rooms`);
    await page.getByRole("link", { name: /By keys/ }).waitFor();
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("searchbox")).toBeFocused();
    await page.keyboard.type("by keys");
    await page.keyboard.press("Enter");
    await expect(composerOf(page)).toBeFocused();
    await page.keyboard.type("typed");
    await page.keyboard.press("Enter");
    await expect(page.locator("[data-event-index]")).toHaveCount(1);

    await page.keyboard.press("Shift+Tab");
    await expect(page.locator("[data-row-focus]:focus-within")).toHaveCount(1);
    await page.locator("[data-row-focus]").last().focus();
    await page.keyboard.press("t");
    const thread = page.getByRole("textbox", { name: "Reply in thread" });
    await expect(thread).toBeFocused();
    await page.keyboard.type("in the thread");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("complementary").getByText("in the thread")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(composerOf(page)).toBeFocused();

    await page.keyboard.press("Control+k");
    await expect(page.getByRole("searchbox")).toBeFocused();
    await page.keyboard.type("日本語");
    await page.keyboard.press("Enter");
    await expect(page.locator("html")).toHaveAttribute("lang", "ja");
    await page.keyboard.press("F6");
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
});

async function expectNothingSerious(page: Page, where: string): Promise<void> {
    const { violations } = await new AxeBuilder({ page }).analyze();
    const serious = violations.filter(
        ({ impact }) => impact === "serious" || impact === "critical",
    );
    const found = serious.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`,
    );
    expect(found, where).toEqual([]);
}

async function expectNoSidewaysScroll(page: Page): Promise<void> {
    const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(width).toBeLessThanOrEqual(0);
}

for (const theme of ["light", "dark"] as const) {
    for (const language of ["en", "ja"] as const) {
        for (const width of [1280, 390]) {
            test(`AxeFindsNothing ${theme} ${language} ${width}`, async ({ server, aiko }) => {
                test.setTimeout(180_000);
                const room = await newRoom(aiko, server.url, "Axe");
                await say(
                    aiko.page,
                    "a [link](https://example.org), `code`\n\n| a | b |\n| - | - |\n| 1 | 2 |",
                );
                await expect(aiko.page.locator("[data-event-index]")).toHaveCount(1);
                const { page } = aiko;
                await page.setViewportSize({ width, height: 844 });
                await page.evaluate(
                    (preferences) => localStorage.setItem("convene.preferences", preferences),
                    JSON.stringify({ theme, language }),
                );
                await page.goto(`${server.url}/rooms`);
                await page.getByRole("link", { name: /Axe/ }).first().waitFor();
                await expectNothingSerious(page, "rooms");
                await expectNoSidewaysScroll(page);
                await page.keyboard.press("Control+k");
                await page.getByRole("dialog").waitFor();
                await expectNothingSerious(page, "palette");
                await page.keyboard.press("Escape");
                await page.keyboard.press("?");
                await page.getByRole("dialog").waitFor();
                await expectNothingSerious(page, "keys");
                await page.keyboard.press("Escape");
                await page
                    .getByRole("button", { name: /^(New room|新しいルーム)$/ })
                    .first()
                    .click();
                await page.getByRole("dialog").waitFor();
                await expectNothingSerious(page, "new room");
                await page.keyboard.press("Escape");

                await page.goto(`${server.url}/rooms/${room}`);
                await page.locator("[data-event-index]").waitFor();
                await expectNothingSerious(page, "room");
                await expectNoSidewaysScroll(page);
                await page
                    .getByRole("button", {
                        name: /^(Actions for this message|このメッセージの操作)$/,
                    })
                    .click();
                await page.getByRole("menu").waitFor();
                await expectNothingSerious(page, "menu");
                await page.keyboard.press("Escape");
                // On a phone a panel stands in place of the timeline: the message is looked up before.
                const root = await page.evaluate(
                    () => document.querySelector<HTMLElement>("[data-event-id]")?.dataset.eventId,
                );
                await page.goto(`${server.url}/rooms/${room}?panel=people`);
                await page.getByRole("complementary").waitFor();
                await expectNothingSerious(page, "people");
                await page.goto(`${server.url}/rooms/${room}?thread=${root}`);
                await page.getByRole("complementary").getByRole("article").waitFor();
                await expectNothingSerious(page, "thread");
                await page.goto(`${server.url}/nowhere`);
                await page.getByRole("heading", { level: 1 }).waitFor();
                await expectNothingSerious(page, "missing");
                await page.context().clearCookies();
                await page.goto(`${server.url}/login`);
                await page.getByRole("heading", { level: 1 }).waitFor();
                await expectNothingSerious(page, "login");
                await page.goto(`${server.url}/login#link=x`);
                await page.reload();
                await page.getByRole("heading", { level: 1 }).waitFor();
                await expectNothingSerious(page, "link");
            });
        }
    }
}
