// SPDX-License-Identifier: Apache-2.0
// What agents ask: it finds who decides, it is decided once, and the run goes on by what was decided.
import { decide, makeAgent } from "./agent";
import { button, heardFrom, speak, test } from "./asks";
import { expectNothingSerious } from "./axe";
import { acceptInvitation, csrfOf, expect, get, onWorkersToo, post, remove, userOf } from "./check";
import { variants } from "./variants";

test(
    "TheApproverIsFoundInTwoSecondsAndTheRunGoesOn",
    onWorkersToo,
    async ({ server, aiko, ben, asks }) => {
        await ben.page.goto(`${server.url}/inbox`);
        await ben.page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
        const benId = (await userOf(ben, server.url)).id;
        const asked = await asks("delete", { approvers: [benId] });
        const { page } = ben;

        // Who asked for it sees whom it waits for, and has no button.
        await aiko.page.goto(`${server.url}/rooms/${asked.room}`);
        const waiting = asked.card(aiko.page);
        await expect(waiting).toContainText("Waiting for a decision by Ben");
        await expect(button(waiting, "Approve")).toHaveCount(0);

        const card = asked.card(page);
        await expect(card).toBeVisible({ timeout: 2_500 });
        await expect(page.getByRole("region", { name: "Approvals" })).toContainText(
            "Delete the old",
        );
        await expect(card).toContainText("Clerk asks in Orders");
        await expect(card).toContainText("Expires in 2 hours");
        await expect(card).toContainText("1 call");
        await expect(card.locator("pre")).toContainText('"note": "a\\u202eb"');
        await expect(card).toContainText("With any arguments.");
        const inbox = page.getByRole("navigation").getByRole("link", { name: /Inbox/ });
        await expect(inbox).toContainText("1 approval");
        await expect(page).toHaveTitle(/● /);
        await expect(page.locator("output[aria-live=polite]")).toHaveText(
            "Approval needed: Delete the old orders?",
        );

        await button(card, "Approve").click();
        await expect(card).toContainText("Approved by you");
        await expect(card.locator("[data-outcome]")).toBeFocused();
        await expect(card.getByRole("button", { name: /^(Approve|Reject)$/ })).toHaveCount(0);
        await heardFrom(aiko, server.url, asked.room, "Deleted.");
        await expect(waiting).toContainText("Approved by Ben");
        await expect(inbox).not.toContainText("approval");
        await expect(page).not.toHaveTitle(/● /);

        await page.reload();
        await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
        await expect(page.getByRole("link", { name: "Delete the old orders?" })).toHaveCount(0);
        await page.goto(`${server.url}/approvals/${asked.id}`);
        await expect(card).toContainText("Approved by you");
        await expect(button(card, "Approve")).toHaveCount(0);
        await aiko.page.reload();
        await aiko.page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
        await expect(asked.card(aiko.page)).toHaveCount(0);
    },
);

test("WhatWaitsComesBackWithTheRoom", async ({ server, aiko, asks }) => {
    const { page } = aiko;
    const asked = await asks("delete");
    await page.goto(`${server.url}/rooms/${asked.room}`);
    await expect(button(asked.card(page), "Approve")).toBeVisible();
    await page.reload();
    await expect(button(asked.card(page), "Approve")).toBeVisible();
    await button(asked.card(page), "Reject").click();
    await expect(asked.card(page)).toContainText("Rejected by you");
    await button(asked.card(page), "Dismiss: Delete the old orders?").click();
    await expect(asked.card(page)).toHaveCount(0);
});

test.describe("two at once", () => {
    // A refusal is an answer, which browsers note in the console.
    test.use({ allowed: /status of 409/ });

    test("OneDecidesAndTheOtherSeesWho", onWorkersToo, async ({ server, aiko, ben, asks }) => {
        const asked = await asks("delete");
        for (const { page } of [aiko, ben]) {
            await page.goto(`${server.url}/approvals/${asked.id}`);
            await button(asked.card(page), "Approve").waitFor();
        }
        // The second one decides on what is shown, before the page looks again.
        await ben.page.route(`**/api/v1/approvals/${asked.id}`, (route) =>
            route.request().method() === "GET"
                ? route.fulfill({ json: { ...held, status: "pending" } })
                : route.continue(),
        );
        const held = await get(aiko, server.url, `approvals/${asked.id}`);
        await button(asked.card(aiko.page), "Approve").click();
        await expect(asked.card(aiko.page)).toContainText("Approved by you");
        await button(asked.card(ben.page), "Reject").click();
        const late = ben.page.getByRole("alert");
        await expect(late).toHaveText("You came second. Approved by Administrator.");
        await ben.page.unroute(`**/api/v1/approvals/${asked.id}`);
        await expect(button(asked.card(ben.page), "Reject")).toHaveCount(0);
        await expect(asked.card(ben.page)).toContainText("Approved by Administrator");
        await heardFrom(aiko, server.url, asked.room, "Deleted.");
    });
});

test("ReturnedWithANoteTheAgentReadsIt", async ({ server, aiko, asks }) => {
    const { page } = aiko;
    const asked = await asks("delete");
    await page.goto(`${server.url}/approvals/${asked.id}`);
    const card = asked.card(page);
    await button(card, "Return with note").click();
    const note = card.getByRole("textbox", { name: "Note for the agent" });
    await expect(note).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(button(card, "Return with note")).toBeFocused();
    await page.keyboard.press("Enter");
    await button(card, "Return").click();
    await expect(note).toBeFocused();
    await expect(card).toContainText("Say what has to change.");
    await note.fill("only those before 2010");
    await button(card, "Return").click();
    await expect(card).toContainText("Returned by you");
    await expect(card).toContainText("only those before 2010");
    await heardFrom(aiko, server.url, asked.room, "I was told: only those before 2010");
});

test.describe("what is over", () => {
    test.use({ allowed: /status of 404/ });

    test("SaysSoAndHasNoButtons", async ({ server, aiko, asks }) => {
        const { page } = aiko;
        const asked = await asks("hurry");
        await page.goto(`${server.url}/approvals/${asked.id}`);
        const card = asked.card(page);
        await expect(card).toContainText("Expired. Nobody decided in time.", { timeout: 20_000 });
        await expect(card.getByRole("button")).toHaveCount(0);
        await heardFrom(aiko, server.url, asked.room, "Too late.");

        const other = await asks("delete");
        await post(aiko, server.url, `rooms/${other.room}/close`, {});
        await page.goto(`${server.url}/approvals/${other.id}`);
        await expect(other.card(page)).toContainText("Cancelled.");
        await expect(other.card(page).getByRole("button")).toHaveCount(0);

        await page.goto(`${server.url}/approvals/nothing`);
        await expect(page.getByText("There is no such approval")).toBeVisible();
    });
});

test.describe("not for everybody", () => {
    test.use({ allowed: /status of 40[34]/ });

    test("WhoDoesNotDecideSeesWhoDoes", async ({ server, aiko, ben, asks, browser }) => {
        const benId = (await userOf(ben, server.url)).id;
        const asked = await asks("delete", { approvers: [benId, "role:operator"] });
        const { user, link } = await post(aiko, server.url, "users", {
            email: "dai@example.org",
            display_name: "Dai",
            role: "member",
        });
        await post(aiko, server.url, `rooms/${asked.room}/participants`, {
            id: user.id,
            display_name: "Dai",
            role: "member",
            status: "active",
        });
        const context = await browser.newContext({ locale: "en-US" });
        const page = await context.newPage();
        await acceptInvitation(page, new URL(link, server.url).href);
        await page.goto(`${server.url}/approvals/${asked.id}`);
        const card = asked.card(page);
        await expect(card).toContainText("Waiting for a decision by Ben or an operator");
        await expect(card.getByRole("button", { name: /Approve|Reject/ })).toHaveCount(0);
        await expect(
            page.getByRole("navigation").getByRole("link", { name: /Inbox/ }),
        ).not.toContainText("approval");
        await page.goto(`${server.url}/inbox`);
        await page.getByText("Nothing needs you").or(page.getByText("Mark all read")).waitFor();
        await expect(asked.card(page)).toHaveCount(0);

        // An offer of the page is not a right: the server says whose it is.
        const refused = await context.request.patch(`${server.url}/api/v1/approvals/${asked.id}`, {
            data: { status: "approved" },
            headers: { "X-CSRF-Token": await csrfOf(context.request, server.url) },
        });
        expect(refused.status()).toBe(403);
        const held = await get(aiko, server.url, `approvals/${asked.id}`);
        await page.route(`**/api/v1/approvals/${asked.id}`, (route) =>
            route.request().method() === "GET"
                ? route.fulfill({ json: { ...held, deciders: [] } })
                : route.continue(),
        );
        await page.goto(`${server.url}/approvals/${asked.id}`);
        await button(card, "Approve").click();
        await expect(card.getByRole("alert")).toContainText("This is to be decided by");
        await expect(button(card, "Approve")).toHaveCount(0);
        await context.close();
        await decide(ben, server.url, asked.id, "rejected", "no");
    });
});

test("KeysOnlyMoveTheFocus", async ({ server, aiko, asks }) => {
    const { page } = aiko;
    const asked = await asks("delete");
    await page.goto(`${server.url}/approvals/${asked.id}`);
    const card = asked.card(page);
    await button(card, "Approve").waitFor();
    await page.keyboard.press("a");
    await expect(button(card, "Approve")).toBeFocused();
    await page.keyboard.press("x");
    await expect(button(card, "Reject")).toBeFocused();
    expect((await get(aiko, server.url, `approvals/${asked.id}`)).status).toBe("pending");

    // From the room they work as well, outside of its field; inside of it they are letters.
    await page.goto(`${server.url}/rooms/${asked.room}`);
    await button(card, "Approve").waitFor();
    await page.getByRole("textbox", { name: /^Message to/ }).pressSequentially("ax");
    await expect(page.getByRole("textbox", { name: /^Message to/ })).toHaveValue("ax");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("old orders");
    await expect(page.getByRole("option").first()).toHaveText("Decide: Delete the old orders?");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/approvals/${asked.id}`);
    // The room has a card of it too, and a field, which keys are letters in as long as it is there.
    await expect(card).toHaveAttribute("data-place", "page");
    await page.keyboard.press("a");
    await expect(button(card, "Approve")).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(card).toContainText("Approved by you");
    await expect(card.locator("[data-outcome]")).toBeFocused();
});

test("AHostileTitleIsNothingButATitle", async ({ server, aiko, asks }) => {
    const { page } = aiko;
    const asked = await asks("hostile");
    for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        for (const path of [`/approvals/${asked.id}`, "/inbox", `/rooms/${asked.room}`]) {
            await page.goto(server.url + path);
            const card = asked.card(page);
            await expect(card).toContainText(
                `<img src=x onerror="document.title='broken'"> gnp.exe`,
            );
            await expect(card.locator("img")).toHaveCount(0);
            // In a room the buttons stay in sight, however long the title is.
            if (!path.startsWith("/rooms")) {
                await button(card, "Approve").scrollIntoViewIfNeeded();
            }
            await expect(button(card, "Approve")).toBeInViewport();
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            expect(wide, path).toBeLessThanOrEqual(width);
            expect(await page.title()).not.toContain("\u202e");
            expect(await page.title()).not.toBe("broken");
        }
    }
});

test.describe("a part that fails", () => {
    test.use({ allowed: /status of 500/ });

    test("LeavesTheOthers", async ({ server, aiko, asks }) => {
        const { page } = aiko;
        const asked = await asks("delete");
        await page.route("**/api/v1/notifications?*", (route) =>
            route.fulfill({
                status: 500,
                contentType: "application/problem+json",
                json: { code: "INTERNAL_ERROR", status: 500, request_id: "r1" },
            }),
        );
        await page.goto(`${server.url}/inbox`);
        const failed = page.getByRole("region", { name: "Notifications" });
        await expect(failed.getByRole("alert")).toContainText("INTERNAL_ERROR");
        await expect(button(asked.card(page), "Approve")).toBeVisible();
        await page.unroute("**/api/v1/notifications?*");
        await failed.getByRole("button", { name: "Retry" }).click();
        await expect(failed).toHaveCount(0);
    });
});

test("NotificationsLeadToWhatTheyTellAndAreRead", async ({ server, aiko }) => {
    const { page } = aiko;
    const designer = await makeAgent(
        aiko,
        server.url,
        "Designer",
        `when says "design"\n    call set_tasks {"tasks": [{"key": "a", "title": "A"}]}\n    if worked say Here.`,
    );
    const made: { id: string; room_id: string }[] = [];
    for (const [name, prompt] of [
        ["Returns", "Please design it."],
        ["Nothing", "Leave it."],
        ["Parcels", "Please design it."],
    ]) {
        made.push(await post(aiko, server.url, "workflows", { name, agent: designer, prompt }));
    }
    await page.goto(`${server.url}/inbox`);
    const told = page.getByRole("region", { name: "Notifications" });
    await expect(told.getByRole("listitem")).toHaveCount(3);
    await expect(told).toContainText("The draft of Nothing could not be made");
    await expect(told.getByRole("link", { name: "The draft of Returns is ready" })).toHaveAttribute(
        "href",
        `/workflows/${made[0]?.id}`,
    );
    const inbox = page.getByRole("navigation").getByRole("link", { name: /Inbox/ });
    await expect(inbox).toContainText("3 notifications");
    await button(told, "Mark read: The draft of Returns is ready").click();
    await expect(told.getByRole("listitem")).toHaveCount(2);
    await expect(told.getByRole("heading")).toBeFocused();
    await expect(inbox).toContainText("2 notifications");
    await button(told, "Mark all notifications read").click();
    await expect(told).toHaveCount(0);
    await expect(inbox).not.toContainText("notification");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    await expect(inbox).not.toContainText("notification");
    await page.goto("about:blank");
    for (const { id, room_id } of made) {
        await remove(aiko, server.url, `workflows/${id}`);
        await remove(aiko, server.url, `rooms/${room_id}`).catch(() => undefined);
    }
});

test("AHiddenPageAsksNothingAndLooksAgainOnReturn", async ({ server, aiko, asks }) => {
    const { page } = aiko;
    let asked = 0;
    page.on("request", (request) => {
        asked += Number(/\/(approvals|notifications)\?/.test(request.url()));
    });
    await page.goto(`${server.url}/settings`);
    await page.locator("fieldset").first().waitFor();
    const show = (state: "hidden" | "visible") =>
        page.evaluate((visibility) => {
            Object.defineProperty(document, "visibilityState", {
                value: visibility,
                configurable: true,
            });
            document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
        }, state);
    await expect.poll(() => asked).toBeGreaterThan(1);
    await show("hidden");
    await page.waitForTimeout(300);
    asked = 0;
    // What the socket tells of is asked for every twenty seconds.
    await page.waitForTimeout(21_000);
    expect(asked).toBe(0);
    await asks("delete");
    await show("visible");
    await expect(page.getByRole("navigation").getByRole("link", { name: /Inbox/ })).toContainText(
        "1 approval",
        { timeout: 1_500 },
    );
});

for (const { theme, language, width } of variants) {
    test(`NothingSeriousInAxe ${theme} ${language} ${width}`, async ({ server, aiko, asks }) => {
        // Every view is looked at by axe, which takes its time on a busy machine.
        test.slow();
        const { page } = aiko;
        const approval = await asks("delete");
        const form = await asks("order", { name: "Parcels" });
        const json = await asks("ranges", { name: "Ranges" });
        await page.setViewportSize({ width, height: 844 });
        await page.goto(server.url);
        await speak(page, language, theme);
        const look = async (what: string) => {
            await expectNothingSerious(page, what);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            expect(wide, what).toBeLessThanOrEqual(width);
        };
        await page.goto(`${server.url}/inbox`);
        await json.card(page).getByRole("button").first().waitFor();
        await look("inbox");
        for (const { room, card } of [approval, form]) {
            await page.goto(`${server.url}/rooms/${room}`);
            await card(page).getByRole("button").first().waitFor();
            await look(`room ${room}`);
        }
        for (const { id, card } of [approval, form, json]) {
            await page.goto(`${server.url}/approvals/${id}`);
            await card(page).getByRole("button").first().waitFor();
            await look(`approval ${id}`);
        }
        const send = button(form.card(page), language === "en" ? "Send answer" : "回答を送信");
        await page.goto(`${server.url}/approvals/${form.id}`);
        await send.click();
        await look("mistakes");
        await page.goto(`${server.url}/approvals/${approval.id}`);
        await page.locator("[data-approval] button").nth(1).click();
        await look("note");
        await page.goto(`${server.url}/inbox`);
        await page.locator('[data-decide="reject"]').first().click();
        await page.locator("[data-outcome]").waitFor();
        await look("decided");
    });
}
