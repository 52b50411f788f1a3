// SPDX-License-Identifier: Apache-2.0
// The page as the person wants it, kept over a reload; the name and the password.
import {
    acceptInvitation,
    composerOf,
    eventsOf,
    expect,
    newRoom,
    patch,
    post,
    test,
} from "./check";

test("WhatIsChosenHoldsAtOnceAndAfterAReload", async ({ server, aiko }) => {
    const { page } = aiko;
    const room = await newRoom(aiko, server.url, "Choices");
    await page.goto(`${server.url}/settings`);
    const html = page.locator("html");
    const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.getByRole("radio", { name: "Dark" }).check();
    await expect(html).toHaveAttribute("data-theme", "dark");
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(dark).not.toBe(light);
    await page.getByRole("radio", { name: "Ctrl+Enter" }).check();
    await page.getByRole("radio", { name: "日本語" }).check();
    await expect(page.getByRole("heading", { level: 1, name: "設定" })).toBeVisible();
    await page.reload();
    await expect(page.getByRole("radio", { name: "ダーク" })).toBeChecked();
    await page.getByRole("radio", { name: "English" }).check();
    await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();

    await page.goto(`${server.url}/rooms/${room}`);
    await composerOf(page).fill("one");
    await composerOf(page).press("Enter");
    await expect(composerOf(page)).toHaveValue("one\n");
    await composerOf(page).press("Control+Enter");
    await expect(composerOf(page)).toHaveValue("");
    await expect(page.locator("[data-event-index]")).toHaveCount(1);
    expect(await eventsOf(aiko, server.url, room)).toHaveLength(1);
});

test("AnAdministratorChangesNameAndPassword", async ({ server, aiko, browser }) => {
    const invited = await post(aiko, server.url, "users", {
        email: "dana@example.org",
        display_name: "Dana",
        role: "admin",
    });
    const context = await browser.newContext({ locale: "en-US" });
    const page = await context.newPage();
    await acceptInvitation(page, new URL(invited.link, server.url).href);
    await page.goto(`${server.url}/settings`);
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("Dana Scully");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("button", { name: "Account of Dana Scully" })).toBeVisible();

    await page.getByLabel("New password").fill("short");
    await page.getByRole("button", { name: "Set password" }).click();
    await expect(page.getByText("needs at least 10 characters")).toBeVisible();
    await page.getByLabel("New password").fill("quite a long password");
    // The server has ended the old session, and closed its socket, before the page has the answer.
    const closed = page.waitForEvent("websocket").then((socket) => socket.waitForEvent("close"));
    await page.reload();
    await page.getByLabel("New password").fill("quite a long password");
    await page.route("**/api/v1/auth/password", async (route) => {
        const answer = await route.fetch();
        await closed;
        await route.fulfill({ response: answer });
    });
    await page.getByRole("button", { name: "Set password" }).click();
    await expect(page.getByText("The password is set.")).toBeVisible();
    // This page goes on with its new session.
    await newRoom({ name: "Dana", csrf: "", context, page }, server.url, "After the change");

    const elsewhere = await browser.newContext({ locale: "en-US" });
    const again = await elsewhere.newPage();
    await again.goto(`${server.url}/login`);
    await again.getByLabel("Email address").fill("dana@example.org");
    await again.getByLabel("Password").fill("quite a long password");
    await again.getByRole("button", { name: "Sign in" }).click();
    await again.waitForURL("**/rooms");
    await elsewhere.close();
    await context.close();
    const change = { is_active: false };
    await patch(aiko, server.url, `users/${invited.user.id}`, change);
});
