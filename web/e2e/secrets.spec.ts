// SPDX-License-Identifier: Apache-2.0
// Secrets: stored under a name, replaced, refused to go while a skill names them, and never shown.
import type { Page } from "@playwright/test";
import { acceptInvitation, expect, get, type Person, post, put, remove, test } from "./check";

const OLD = "ghp-first-of-all-values";
const NEW = "ghp-second-of-all-values";

async function openPage(person: Person, url: string): Promise<Page> {
    const { page } = person;
    await page.goto(`${url}/admin/secrets`);
    await page.getByRole("button", { name: "New secret" }).waitFor();
    return page;
}

async function openNew(page: Page) {
    await page.getByRole("button", { name: "New secret" }).click();
    const dialog = page.getByRole("dialog", { name: "New secret" });
    return {
        dialog,
        name: dialog.getByLabel("Name"),
        description: dialog.getByLabel("Description"),
        value: dialog.getByLabel("Value"),
        store: dialog.getByRole("button", { name: "Store secret" }),
    };
}

async function act(page: Page, name: string, deed: string) {
    await page.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: deed }).click();
    const dialog = page.getByRole("dialog");
    return { dialog, value: dialog.getByLabel("Value"), button: dialog.getByRole("button") };
}

function rowOf(page: Page, name: string) {
    return page.getByRole("table", { name: "Secrets" }).getByRole("row").filter({ hasText: name });
}

/** All that the server says to the page from now on. */
function answersOf(page: Page): () => Promise<string> {
    const answers: Promise<string>[] = [];
    page.on("response", (response) => {
        if (response.url().includes("/api/v1/")) {
            answers.push(response.text().catch(() => ""));
        }
    });
    return async () => (await Promise.all(answers)).join("\n");
}

// The server is shared with other checks.
test.beforeEach(async ({ server, aiko }) => {
    for (const { name } of (await get(aiko, server.url, "secrets")).secrets) {
        await remove(aiko, server.url, `secrets/${name}`);
    }
});

test("ASecretIsStoredReplacedAndDeletedAndItsValueIsNeverShown", async ({ server, aiko }) => {
    const page = await openPage(aiko, server.url);
    const said = answersOf(page);
    await expect(page.getByText("No secrets yet")).toBeVisible();
    await expect(page.getByText(/private git repositories/)).toBeVisible();

    const form = await openNew(page);
    await expect(form.name).toBeFocused();
    await form.name.fill("git-token");
    await form.description.fill("Reads team/skills");
    await expect(form.store).toBeDisabled();
    await form.value.fill(OLD);
    await expect(form.value).toHaveAttribute("type", "password");
    await expect(form.value).toHaveAttribute("autocomplete", "off");
    expect(await page.content()).not.toContain(OLD);
    await form.store.click();
    await expect(form.dialog).toHaveCount(0);
    const row = rowOf(page, "git-token");
    await expect(row).toContainText("Reads team/skills");
    await expect(row).toContainText("No skill");
    const made = await get(aiko, server.url, "secrets/git-token");
    // What was typed is gone with its dialog.
    const again = await openNew(page);
    await expect(again.value).toHaveValue("");
    await page.keyboard.press("Escape");

    // Somebody else describes it anew meanwhile: that stays.
    await put(aiko, server.url, "secrets/git-token", { value: OLD, description: "Reads all" });
    const replacing = await act(page, "git-token", "Replace value");
    await expect(replacing.value).toBeFocused();
    await expect(replacing.value).toHaveValue("");
    await replacing.value.fill(NEW);
    expect(await page.content()).not.toContain(NEW);
    await replacing.button.filter({ hasText: "Replace value" }).click();
    await expect(replacing.dialog).toHaveCount(0);
    await expect(row).toContainText("Reads all");
    const replaced = await get(aiko, server.url, "secrets/git-token");
    expect(replaced).toMatchObject({ description: "Reads all", created_at: made.created_at });
    expect(Date.parse(replaced.updated_at)).toBeGreaterThan(Date.parse(made.updated_at));

    const deleting = await act(page, "git-token", "Delete");
    await expect(deleting.dialog).toContainText("Delete git-token?");
    await deleting.button.filter({ hasText: "Delete" }).click();
    await expect(page.getByText("No secrets yet")).toBeVisible();
    expect((await get(aiko, server.url, "secrets")).secrets).toEqual([]);

    const shown = (await page.content()) + (await said());
    expect(shown).toContain("git-token");
    for (const value of [OLD, NEW]) {
        expect(shown).not.toContain(value);
    }
});

test.describe("what is refused", () => {
    // A refusal is an answer, which browsers note in the console.
    test.use({ allowed: /status of 4(09|22)/ });

    test("ASecretThatASkillNamesIsNotDeleted", async ({ server, aiko }) => {
        await put(aiko, server.url, "secrets/kept", { value: OLD });
        const page = await openPage(aiko, server.url);
        const row = rowOf(page, "kept");
        await expect(row).toContainText("No skill");
        const skill = await post(aiko, server.url, "skills", {
            name: "Team notes",
            url: "https://127.0.0.1:9/notes.git",
            username: "bot",
            secret: "kept",
        });
        const deleting = await act(page, "kept", "Delete");
        await deleting.button.filter({ hasText: "Delete" }).click();
        const problem = deleting.dialog.getByRole("alert");
        await expect(problem).toContainText("skills name this secret");
        await expect(problem).toContainText("SECRET_IN_USE");
        await deleting.button.filter({ hasText: "Cancel" }).click();
        await expect(row).toContainText("Team notes");
        const { secrets } = await get(aiko, server.url, "secrets");
        expect(secrets.map(({ name }: { name: string }) => name)).toContain("kept");

        await remove(aiko, server.url, `skills/${skill.id}`);
        const anew = await act(page, "kept", "Delete");
        await anew.button.filter({ hasText: "Delete" }).click();
        await expect(row).toHaveCount(0);
    });

    test("WhatCantBeASecretIsSaidAtItsField", async ({ server, aiko }) => {
        await put(aiko, server.url, "secrets/taken", { value: OLD, description: "As before" });
        const page = await openPage(aiko, server.url);
        const before = await get(aiko, server.url, "secrets/taken");
        const { dialog, name, description, value, store } = await openNew(page);
        const noteOf = async (field: typeof name) =>
            dialog.locator(`[id="${await field.getAttribute("aria-describedby")}"]`);
        await value.fill(NEW);
        // Browsers take dots alone out of an address.
        for (const bad of ["Git Token", "a/b", "..", "x".repeat(65), "x".repeat(300)]) {
            await name.fill(bad);
            await store.click();
            await expect(name, bad).toHaveAttribute("aria-invalid", "true");
            await expect(await noteOf(name)).toContainText("1 to 64 of a-z");
            await expect(value).toHaveAttribute("aria-invalid", "false");
        }
        await name.fill("taken");
        await store.click();
        await expect(await noteOf(name)).toContainText("There is a secret of this name");
        expect(await get(aiko, server.url, "secrets/taken")).toEqual(before);

        await name.fill("fine");
        await value.fill("x".repeat(4097));
        await store.click();
        await expect(value).toHaveAttribute("aria-invalid", "true");
        await expect(await noteOf(value)).toContainText("4,096 bytes");
        await expect(name).toHaveAttribute("aria-invalid", "false");
        await value.fill(NEW);
        await description.fill("x".repeat(1025));
        await store.click();
        await expect(description).toHaveAttribute("aria-invalid", "true");
        await expect(await noteOf(description)).toContainText("1,024 bytes");
        await page.keyboard.press("Escape");
        const { secrets } = await get(aiko, server.url, "secrets");
        expect(secrets).toEqual([before]);
        await remove(aiko, server.url, "secrets/taken");
    });
});

test("OnlyAdministratorsSeeSecrets", async ({ server, aiko, ben, browser }) => {
    const { link } = await post(aiko, server.url, "users", {
        email: "emi@example.org",
        display_name: "Emi",
        role: "member",
    });
    const context = await browser.newContext({ locale: "en-US" });
    const member = await context.newPage();
    await acceptInvitation(member, new URL(link, server.url).href);
    for (const page of [member, ben.page]) {
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        await page.goto(`${server.url}/admin/secrets`);
        await expect(page.getByText("Only for administrators")).toBeVisible();
        await expect(page.getByRole("link", { name: "Secrets" })).toHaveCount(0);
        await expect(page.getByRole("button", { name: "New secret" })).toHaveCount(0);
        expect(asked.filter((url) => url.includes("/api/v1/secrets"))).toEqual([]);
    }
    await context.close();
    await openPage(aiko, server.url);
    await aiko.page.getByRole("link", { name: "People" }).click();
    await aiko.page.getByRole("link", { name: "Secrets" }).click();
    await expect(aiko.page).toHaveURL(/\/admin\/secrets$/);
});
