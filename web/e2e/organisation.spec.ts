// SPDX-License-Identifier: Apache-2.0
// The organisation: people come in and go, programs get tokens, and the trail tells of it.
import { expect, test } from "./check";

test("AnInvitationLetsSomebodyInAndDeactivatingEndsIt", async ({ server, aiko, browser }) => {
    const { page } = aiko;
    await page.goto(`${server.url}/admin/users`);
    await page.getByRole("button", { name: "Invite somebody" }).click();
    await page.getByLabel("Email address").fill("chika@example.org");
    await page.getByRole("textbox", { name: "Name" }).fill("Chika");
    await page.getByRole("button", { name: "Make invitation" }).click();
    const link = await page.getByRole("dialog", { name: "A link for Chika" }).locator("code");
    const address = await link.innerText();
    expect(address).toMatch(/^http.*\/login#link=/);
    await page.getByRole("button", { name: "Done" }).click();
    const row = page.getByRole("row", { name: /Chika/ });
    await expect(row).toContainText("No password yet");

    const context = await browser.newContext({ locale: "en-US" });
    const guest = await context.newPage();
    await guest.goto(address);
    await guest.getByRole("button", { name: "Continue" }).click();
    await guest.getByLabel("New password").fill("another long password");
    await guest.getByRole("button", { name: "Set password and sign in" }).click();
    await guest.waitForURL("**/rooms");
    await expect(guest.getByText("No rooms yet")).toBeVisible();
    // A member is told who may: the rail does not lead there.
    await expect(guest.getByRole("link", { name: "Organisation" })).toHaveCount(0);
    await guest.goto(`${server.url}/admin/users`);
    await expect(guest.getByText("Only for administrators")).toBeVisible();
    await guest.goto(`${server.url}/ops`);
    await expect(guest.getByText("Only for operators")).toBeVisible();

    await page.reload();
    await expect(row).toContainText("Active");
    await row.getByRole("combobox", { name: "Role of Chika" }).selectOption("operator");
    await expect(page.getByText("The role of Chika is changed")).toBeVisible();
    await row.getByRole("button", { name: "Actions for Chika" }).click();
    await page.getByRole("menuitem", { name: "Deactivate" }).click();
    await page.getByRole("button", { name: "Deactivate" }).click();
    await expect(row).toContainText("Deactivated");
    await guest.reload();
    await guest.waitForURL("**/login*");
    await context.close();
});

test.describe("what is refused", () => {
    // A refusal is an answer, which browsers note in the console.
    test.use({ allowed: /status of 409/ });

    test("TheLastAdministratorStays", async ({ server, aiko }) => {
        const { page } = aiko;
        await page.goto(`${server.url}/admin/users`);
        const own = page.getByRole("combobox", { name: "Role of Administrator" });
        await own.selectOption("member");
        await expect(page.getByRole("alert")).toContainText("at least one active administrator");
        await expect(own).toHaveValue("admin");
    });
});

test("ATokenIsShownOnceAndEndsWhenRevoked", async ({ server, aiko, playwright }) => {
    const { page } = aiko;
    await page.goto(`${server.url}/admin/tokens`);
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("nightly import");
    await page.getByRole("combobox", { name: "Expires" }).selectOption("30");
    await page.getByRole("button", { name: "Make token" }).click();
    const token = await page.getByRole("dialog").locator("code").innerText();
    await page.getByRole("button", { name: "Done" }).click();
    await expect(page.getByText(token)).toHaveCount(0);

    const program = await playwright.request.newContext({
        extraHTTPHeaders: { Authorization: `Bearer ${token}` },
    });
    expect((await program.get(`${server.url}/api/v1/rooms`)).status()).toBe(200);
    const row = page.getByRole("row", { name: /nightly import/ });
    await row.getByRole("button", { name: "Revoke nightly import" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await expect(row).toHaveCount(0);
    expect((await program.get(`${server.url}/api/v1/rooms`)).status()).toBe(401);
    await program.dispose();

    await page.getByRole("link", { name: "Audit trail" }).click();
    await expect(page.getByRole("cell", { name: "token.created" }).first()).toBeVisible();
    await expect(page.getByRole("cell", { name: "Administrator" }).first()).toBeVisible();
});

test("OperatorsSeeWhoServesAndThatNothingWaits", async ({ server, ben }) => {
    const { page } = ben;
    await page.goto(`${server.url}/ops`);
    await expect(page.getByRole("table", { name: "Workers" })).toContainText("Live");
    await expect(page.getByText(/No lane has anything|at (its|their) newest event/)).toBeVisible();
    await expect(page.getByText("Nothing was skipped.")).toBeVisible();
    const asOf = page.getByText(/^As of/).first();
    const before = await asOf.innerText();
    await expect(asOf).not.toHaveText(before);
});

test("AnOperatorTakesALeaseAway", async ({ server, ben }) => {
    const { page } = ben;
    await page.goto(`${server.url}/ops`);
    await expect(page.getByText(/None is waited for/)).toBeVisible();
    await page.getByRole("radio", { name: "All", exact: true }).check();
    const leases = page.getByRole("table", { name: "Leases" });
    const row = leases.getByRole("row", { name: /leader.*outbound/ });
    await row.getByRole("button", { name: /^Take .* away$/ }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("the duty rests until a worker is elected");
    const take = dialog.getByRole("button", { name: "Take away" });
    await expect(take).toBeDisabled();
    await dialog.getByLabel("Reason").fill("It is only a test.");
    await take.click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("status").filter({ hasText: /is free|was told/ })).toBeVisible();
});
