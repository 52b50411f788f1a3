// SPDX-License-Identifier: Apache-2.0
// Everybody can use it: by keyboard alone, and with nothing that axe finds serious.
import type { Page } from "@playwright/test";
import { expectNothingSerious } from "./axe";
import { bringIn, composerOf, expect, get, newRoom, PASSWORD, post, put, say, test } from "./check";
import { variants } from "./variants";

/** The focus is somewhere, and can be seen: an outline of its own, or of the box around a field. */
async function expectVisibleFocus(page: Page): Promise<void> {
    await expect
        .poll(() =>
            page.evaluate(() => {
                const at = document.activeElement;
                if (!at || at === document.body) {
                    return "lost";
                }
                // The page itself, gone to by an address, is no control.
                const isPage = at.id === "main" || at.tagName === "ASIDE";
                const hasMark = (element: Element) => {
                    const { outlineStyle, boxShadow } = getComputedStyle(element);
                    return outlineStyle !== "none" || boxShadow !== "none";
                };
                const around = at.closest("form > div, label, [role='dialog']") ?? at;
                const walked = document.querySelector("[data-focused]") ?? at;
                return isPage || [at, around, walked].some(hasMark) ? "seen" : at.outerHTML;
            }),
        )
        .toBe("seen");
}

async function press(page: Page, ...keys: string[]): Promise<void> {
    for (const key of keys) {
        await page.keyboard.press(key);
        await expectVisibleFocus(page);
    }
}

test("WhatIsTypedWhileThePaletteIsStillLoadingIsKept", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "Typed ahead");
    const { page } = aiko;
    let release: (() => void) | undefined;
    const released = new Promise<void>((done) => {
        release = done;
    });
    await page.route("**/assets/Palette-*.js", async (route) => {
        await released;
        await route.continue();
    });
    await page.goto(`${server.url}/rooms/${room}`);
    await expect(composerOf(page)).toBeFocused();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("typed aheax");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Enter");
    release?.();
    await expect(page.getByRole("searchbox")).toBeFocused();
    await page.keyboard.type("d");
    await expect(page.getByRole("searchbox")).toHaveValue("typed ahead");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("searchbox")).toHaveCount(0);
    await expect(composerOf(page)).toHaveValue("");
    await expect(page.locator("[data-event-index]")).toHaveCount(0);
    // Whoever thinks better of it writes where they were.
    await page.keyboard.type("here");
    await expect(composerOf(page)).toHaveValue("here");
});

test("KeyboardAloneIsEnough", async ({ server, aiko, ben, browser }) => {
    const room = await newRoom(aiko, server.url, "By keys");
    await bringIn(aiko, server.url, room, ben);
    const context = await browser.newContext({ locale: "en-US" });
    const page = await context.newPage();
    await page.goto(`${server.url}/login`);
    await expect(page.getByLabel("Email address")).toBeFocused();
    await page.keyboard.type("ben@example.org");
    await press(page, "Tab");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/rooms");
    await page.getByRole("link", { name: /By keys/ }).waitFor();
    await expectVisibleFocus(page);

    await press(page, "Control+k");
    await expect(page.getByRole("searchbox")).toBeFocused();
    await page.keyboard.type("by keys");
    await page.keyboard.press("Enter");
    await expect(composerOf(page)).toBeFocused();
    await page.keyboard.type("typed");
    await press(page, "Enter");
    await expect(page.locator("[data-event-index]")).toHaveCount(1);
    await expect(composerOf(page)).toBeFocused();

    // Back into the messages: from the field the list is one stop away.
    await press(page, "Shift+Tab");
    await expect(page.locator("[data-row-focus]:focus-within")).toHaveCount(1);
    for (let at = 0; at < 6; at += 1) {
        if ((await page.locator("[data-row-focus]:focus").count()) === 1) {
            break;
        }
        await press(page, "Shift+Tab");
    }
    await expect(page.locator("[data-row-focus]:focus")).toHaveCount(1);
    await press(page, "e");
    await expect(page.getByRole("button", { name: "React with 👍" })).toBeFocused();
    await press(page, "ArrowRight");
    await expect(page.getByRole("button", { name: "React with ❤️" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("list", { name: "Reactions" })).toContainText("❤️");
    await expect(page.locator("[data-row-focus]:focus")).toHaveCount(1);
    await press(page, "t");
    const thread = page.getByRole("textbox", { name: "Reply in thread" });
    await expect(thread).toBeFocused();
    await page.keyboard.type("in the thread");
    await press(page, "Enter");
    await expect(page.getByRole("complementary").getByText("in the thread")).toBeVisible();
    await press(page, "Escape");
    await expect(composerOf(page)).toBeFocused();

    await page.keyboard.type("@Admin");
    await expect(page.getByRole("option", { name: "Administrator" })).toBeVisible();
    await press(page, "Enter");
    await expect(composerOf(page)).toHaveValue("@Administrator ");
    await page.keyboard.type("look");
    await press(page, "Enter");
    await expect(page.locator("[data-event-index]")).toHaveCount(3);

    await press(page, "ArrowUp");
    await expect(page.getByRole("textbox", { name: "Edit message" })).toBeFocused();
    await press(page, "Escape");
    await expect(composerOf(page)).toBeFocused();

    await press(page, "Control+k");
    await expect(page.getByRole("searchbox")).toBeFocused();
    await page.keyboard.type("日本語");
    await page.keyboard.press("Enter");
    await expect(page.locator("html")).toHaveAttribute("lang", "ja");
    // Round all regions; letters are letters while one writes, so out of the field at the end.
    const isInRail = () => page.evaluate(() => document.activeElement?.closest("nav") !== null);
    await press(page, "F6", "Shift+F6");
    for (let at = 0; at < 4 && !(await isInRail()); at += 1) {
        await press(page, "F6");
    }
    expect(await isInRail()).toBe(true);
    await press(page, "g", "i");
    await page.waitForURL("**/inbox");
    await expectVisibleFocus(page);
    await context.close();
});

async function expectNoSidewaysScroll(page: Page, where: string): Promise<void> {
    const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(width, where).toBeLessThanOrEqual(0);
}

for (const { theme, language, width } of variants) {
    test(`AxeFindsNothing ${theme} ${language} ${width}`, async ({ server, aiko, ben }) => {
        test.setTimeout(240_000);
        const { page } = aiko;
        const room = await newRoom(aiko, server.url, "Axe");
        await bringIn(aiko, server.url, room, ben);
        await say(page, "a [link](https://example.org), `code`\n\n| a | b |\n| - | - |\n| 1 | 2 |");
        await expect(page.locator("[data-event-index]")).toHaveCount(1);
        const me = (await get(aiko, server.url, "auth/me")).user.id;
        // Out of the room: whoever looks at it has read what comes.
        await page.goto(`${server.url}/settings`);
        await page.locator("fieldset").first().waitFor();
        await post(ben, server.url, `rooms/${room}/events`, {
            content: { type: "text", body: "@Administrator have a look" },
            metadata: { mentions: [me] },
        });
        const { tokens } = await get(aiko, server.url, "tokens");
        if (tokens.length === 0) {
            await post(aiko, server.url, "tokens", { name: "axe", role: "member" });
        }
        await put(aiko, server.url, "secrets/axe", { value: "axe", description: "For a look" });
        await page.setViewportSize({ width, height: 844 });
        await page.evaluate(
            (preferences) => localStorage.setItem("convene.preferences", preferences),
            JSON.stringify({ theme, language }),
        );

        const visit = async (path: string, ready: string) => {
            await page.goto(server.url + path);
            await page.locator(ready).first().waitFor();
            await expectNothingSerious(page, path);
            await expectNoSidewaysScroll(page, path);
        };
        /** Whatever opens over the page, looked at and closed. */
        const look = async (what: string, role: "dialog" | "menu") => {
            await page.getByRole(role).waitFor();
            await expectNothingSerious(page, what);
            await expectNoSidewaysScroll(page, what);
            await page.keyboard.press("Escape");
            await expect(page.getByRole(role)).toHaveCount(0);
        };
        const button = (name: RegExp) => page.getByRole("button", { name });

        await visit("/inbox", "main article li");
        await visit("/rooms", "section li a");
        await page.keyboard.press("Control+k");
        await look("palette", "dialog");
        await page.keyboard.press("?");
        await look("keys", "dialog");
        await button(/^(New room|新しいルーム)$/)
            .first()
            .click();
        await look("new room", "dialog");
        await button(/^(Account of|Administratorのアカウント)/).click();
        await look("account", "menu");

        await visit(`/rooms/${room}`, "[data-event-index]");
        const actions = button(/^(Actions for this message|このメッセージの操作)$/).first();
        await actions.click();
        await look("message menu", "menu");
        await actions.click();
        await page.getByRole("menuitem", { name: /^(React|リアクション)$/ }).click();
        await look("reactions", "dialog");
        const roomActions = button(/^(Actions for this room|このルームの操作)$/);
        await roomActions.click();
        await look("room menu", "menu");
        for (const [item, what] of [
            [/^(Rename|名前を変更)$/, "rename"],
            [/^(Delete room|ルームを削除)$/, "delete"],
        ] as const) {
            await roomActions.click();
            await page.getByRole("menuitem", { name: item }).click();
            await look(what, "dialog");
        }
        const field = page.locator("form textarea").first();
        await page
            .locator('input[type="file"]')
            .setInputFiles([{ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from("1,2") }]);
        await page.locator('[data-upload="stored"]').waitFor();
        await expectNothingSerious(page, "files to send");
        await expectNoSidewaysScroll(page, "files to send");
        await field.press("Enter");
        await page.getByRole("link", { name: "a.csv" }).waitFor();
        await expectNothingSerious(page, "files");
        await field.fill("");
        await field.pressSequentially("@B");
        await page.getByRole("option").first().waitFor();
        await expectNothingSerious(page, "mentions");
        await field.fill("");

        // On a phone a panel stands in place of the timeline: the message is looked up before.
        const root = await page.evaluate(
            () => document.querySelector<HTMLElement>("[data-event-id]")?.dataset.eventId,
        );
        await visit(`/rooms/${room}?panel=people`, "aside li");
        await button(/^(Actions for Ben|Benさんの操作)$/).click();
        await look("person", "menu");
        await button(/^(Add people|メンバーを追加)$/).click();
        await look("add people", "dialog");
        await visit(`/rooms/${room}?thread=${root}`, "aside article");

        await visit("/settings", "fieldset");
        await visit("/ops", "table");
        await visit("/admin/users", "table");
        await button(/^(Invite somebody|招待する)$/).click();
        await look("invite", "dialog");
        const ofBen = button(/^(Actions for Ben|Benさんの操作)$/);
        await ofBen.click();
        await look("user menu", "menu");
        await ofBen.click();
        await page.getByRole("menuitem", { name: /^(Make a password|パスワード設定)/ }).click();
        await look("link", "dialog");
        await visit("/admin/tokens", "table");
        await button(/^(New token|新しいトークン)$/).click();
        await look("new token", "dialog");
        await button(/^(Revoke|失効|axe)/)
            .first()
            .click();
        await look("revoke", "dialog");
        await visit("/admin/secrets", "table");
        await button(/^(New secret|新しいシークレット)$/).click();
        await look("new secret", "dialog");
        const ofSecret = button(/^(Actions for axe|axeの操作)$/);
        await ofSecret.click();
        await look("secret menu", "menu");
        for (const [item, what] of [
            [/^(Replace value|値を置き換える)$/, "replace secret"],
            [/^(Delete|削除)$/, "delete secret"],
        ] as const) {
            await ofSecret.click();
            await page.getByRole("menuitem", { name: item }).click();
            await look(what, "dialog");
        }
        await visit("/admin/audit", "table");
        await visit("/nowhere", "h1");

        await page.context().clearCookies();
        await visit("/login", "form");
        await page.goto(`${server.url}/login#link=x`);
        await page.reload();
        await page.getByRole("heading", { level: 1 }).waitFor();
        await expectNothingSerious(page, "link");
    });
}

// At 200 % a window of 1280 px has 640 for the page, at 400 % 320.
for (const width of [640, 320]) {
    test(`NothingScrollsSidewaysWhenZoomed ${width}`, async ({ server, aiko, ben }) => {
        const { page } = aiko;
        const name = `Pneumonoultramicroscopicsilicovolcanoconiosis${"_".repeat(60)}`;
        const room = await newRoom(aiko, server.url, name);
        await bringIn(aiko, server.url, room, ben);
        await post(ben, server.url, `rooms/${room}/events`, {
            content: { type: "text", body: `${"w".repeat(600)} \`${"c".repeat(300)}\`` },
        });
        await page.setViewportSize({ width, height: 512 });
        for (const path of [
            "/inbox",
            "/rooms",
            `/rooms/${room}`,
            `/rooms/${room}?panel=people`,
            "/settings",
            "/admin/users",
            "/admin/audit",
            "/ops",
        ]) {
            await page.goto(server.url + path);
            await page.locator("h1:visible, h2:visible").first().waitFor();
            await expectNoSidewaysScroll(page, path);
        }
    });
}
