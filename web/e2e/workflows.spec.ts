// SPDX-License-Identifier: Apache-2.0
// Workflows in the page: made, changed by two at once, published, run and watched; and who may do what.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expectNothingSerious } from "./axe";
import { acceptInvitation, expect, get, type Person, patch, post, test } from "./check";
import { variants } from "./variants";

const SAMPLE = readFileSync("../share/sample/workflow.script", "utf8");
const SAMPLE_TASKS = JSON.parse(readFileSync("../share/sample/workflow.json", "utf8")).tasks;

/** Asks for leave, is tried with mocks, or never ends: by what its first task is called. */
const CLERK = `model-script 1
pace 5ms
when says "tasks of this execution"
    say I begin.
    call mail {"to": "too early"}
    say That was too early.
    call start_task {"key": "first"}
    say Now.
    call mail {"to": "a customer"}
    say It is sent.
    call complete_task {"key": "first", "result": "One mail."}
    say The refund is next.
    call start_task {"key": "second"}
    say I ask for it.
    call request_approval {"title": "Send the refund"}
    if worked call complete_task {"key": "second", "result": "Refunded."}
    if failed call fail_task {"key": "second", "kind": "rejected", "message": "They said no."}
    say I am through.
when says "design slowly"
    wait 60s
when says "nothing"
    say I can't think of anything.
otherwise
    say You said: $user
`;

const SLOW = `model-script 1
when says "tasks of this execution"
    call start_task {"key": "first"}
    wait 300s
    say I am through.
otherwise
    wait 300s
    say Too late.
`;

const TASKS = [
    {
        key: "first",
        title: "Write to them",
        instructions: "Say what happens.",
        tools: ["mail"],
        mocks: { mail: "sent" },
    },
    { key: "second", title: "Refund", depends_on: ["first"] },
];

/** Only admins register agents. */
async function newAgent(admin: Person, url: string, name: string, script: string): Promise<string> {
    const agent = { provider: "scripted", instructions: script };
    const made = await post(admin, url, "channels", { type: "agent", name, agent });
    return made.channel.id;
}

async function newWorkflow(by: Person, url: string, workflow: object): Promise<string> {
    return (await post(by, url, "workflows", workflow)).id;
}

async function published(by: Person, url: string, workflow: object): Promise<string> {
    const id = await newWorkflow(by, url, workflow);
    await post(by, url, `workflows/${id}/publish`, {});
    return id;
}

const execute = async (by: Person, url: string, id: string, body = {}): Promise<string> =>
    (await post(by, url, `workflows/${id}/execute`, body)).id;

const sentence = (page: Page) => page.locator("main p[data-state]");
const tab = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
/** By how it begins: others name it as what they wait for. */
const task = (page: Page, title: string) =>
    page
        .getByRole("list", { name: "Tasks" })
        .getByRole("listitem")
        .filter({ hasText: new RegExp(`^${title}`) });

// What went on would keep the runner's places from the checks that follow.
test.afterEach(async ({ server, aiko }) => {
    const { executions } = await get(
        aiko,
        server.url,
        "workflow-executions?status=running&limit=100",
    );
    for (const { id } of executions) {
        await post(aiko, server.url, `workflow-executions/${id}/cancel`, {});
    }
});

test("ATriedDraftWaitsForLeaveAndShowsItsCalls", async ({ server, aiko }) => {
    const agent = await newAgent(aiko, server.url, "Clerk", CLERK);
    const id = await newWorkflow(aiko, server.url, { name: "Refunds", agent, tasks: TASKS });
    const { page } = aiko;
    await page.goto(`${server.url}/workflows/${id}`);
    // Nothing is published: there is nothing to run but the draft.
    await expect(page.getByRole("button", { name: "Try the draft" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Run" })).toHaveCount(0);
    await page.getByRole("button", { name: "Try the draft" }).click();
    await page.waitForURL("**/executions/*");
    const execution = new URL(page.url()).pathname.split("/").pop() ?? "";
    await expect(sentence(page)).toContainText(
        "Waiting for approval of “Send the refund” by whoever takes part",
    );
    await expect(page.getByText("Step 2 of 2")).toBeVisible();
    await expect(page.getByText("Try of the draft")).toBeVisible();

    await page.goto(`${server.url}/executions?status=running`);
    const row = page.getByRole("row", { name: /Refunds/ });
    await expect(row).toContainText("Waiting for approval of “Send the refund”");
    await expect(row).toContainText("Step 2 of 2");

    await page.goto(`${server.url}/executions/${execution}?tab=tools`);
    const calls = page.getByRole("table", { name: "Tool calls" });
    await expect(calls.getByRole("row")).toHaveCount(3);
    await expect(calls.getByRole("row").nth(1)).toContainText("Answered by the draft");
    await expect(calls.getByRole("row").nth(1)).toContainText("first");
    await expect(calls.getByRole("row").nth(2)).toContainText("No task was in progress.");
    await expect(calls.locator("code[title]").first()).toHaveAttribute("title", /^[0-9a-f]{64}$/);

    // Returned by somebody else: the page sees it by itself.
    const { approvals } = await get(aiko, server.url, `approvals?room_id=${execution}`);
    await patch(aiko, server.url, `approvals/${approvals[0].id}`, { status: "rejected" });
    await expect(sentence(page)).toContainText("Failed at “Refund”");
    await tab(page, "Tasks").click();
    await expect(task(page, "Refund")).toContainText("A person declined: They said no.");
    await page.goto(`${server.url}/executions`);
    await page.getByRole("radio", { name: "Only failed" }).check({ force: true });
    await page.waitForURL("**/executions?status=failed");
    await expect(page.getByRole("row", { name: /Refunds/ })).toContainText("Failed at “Refund”");
    await page.getByRole("radio", { name: "Completed" }).check({ force: true });
    await expect(page.getByRole("row", { name: /Refunds/ })).toHaveCount(0);
});

test("VersionsSayWhatChanged", async ({ server, aiko, ben }) => {
    const agent = await newAgent(aiko, server.url, "Clerk", CLERK);
    const id = await published(ben, server.url, { name: "Letters", agent, tasks: TASKS });
    await patch(ben, server.url, `workflows/${id}`, {
        tasks: [
            { ...TASKS[0], title: "Write a letter" },
            { key: "third", title: "Archive" },
        ],
    });
    const { page } = ben;
    await page.goto(`${server.url}/workflows/${id}?tab=versions`);
    await expect(page.getByText("Changed since published")).toBeVisible();
    const changes = page.getByRole("region", { name: /compared with version 1/ });
    await expect(changes).toContainText("Changed: Write a letter");
    await expect(changes.locator("del")).toContainText("Write to them");
    await expect(changes.locator("ins")).toContainText("Write a letter");
    await expect(changes).toContainText("Added: Archive");
    await expect(changes).toContainText("Removed: Refund");
    await page.getByRole("button", { name: "Publish" }).click();
    await expect(page.getByRole("dialog")).toContainText("Removed: Refund");
    await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    await expect(page.getByText("The tasks are those of version 2.")).toBeVisible();
    await page.getByRole("link", { name: "Version 1", exact: true }).click();
    await page.waitForURL(/version=1/);
    await expect(page.getByText("Added: Archive")).toBeVisible();
});

test("ADraftIsMadeFromAPromptOrSaysWhyNot", async ({ server, aiko }) => {
    // A name of its own: the list of agents has those of the checks before.
    await newAgent(aiko, server.url, "Maker of drafts", SAMPLE);
    const idle = await newAgent(aiko, server.url, "Idle", CLERK);
    const { page } = aiko;
    await page.goto(`${server.url}/workflows`);
    await page.getByRole("button", { name: "New workflow" }).click();
    await page.getByLabel("Name", { exact: true }).fill("By prompt");
    await expect(page.getByLabel("What should happen")).toHaveCount(0);
    await page.getByLabel("Agent").selectOption({ label: "Maker of drafts" });
    await page.getByLabel("What should happen").fill("Please design a workflow for returns.");
    await page.getByRole("button", { name: "Make workflow" }).click();
    await expect(page.getByText("Decide on each parcel").first()).toBeVisible();
    await expect(page.locator("[data-tone]", { hasText: /Draft$/ })).toBeVisible();
    await tab(page, "Design").click();
    await expect(page.getByTestId("timeline")).toContainText("The draft is there");

    await newWorkflow(aiko, server.url, { name: "Unwilling", agent: idle, prompt: "nothing" });
    await page.goto(`${server.url}/workflows`);
    await expect(page.getByRole("row", { name: /Unwilling/ })).toContainText(
        "The agent ended without writing a task.",
    );
});

test("ACancelledExecutionSaysSo", async ({ server, aiko }) => {
    const agent = await newAgent(aiko, server.url, "Slow", SLOW);
    const id = await published(aiko, server.url, { name: "Endless", agent, tasks: TASKS });
    const execution = await execute(aiko, server.url, id);
    const { page } = aiko;
    await page.goto(`${server.url}/executions/${execution}?tab=graph`);
    await expect(sentence(page)).toContainText("Working on “Write to them”");
    await page.getByRole("button", { name: "Cancel execution" }).click();
    await expect(page.getByRole("dialog")).toContainText("the tasks that are open are skipped");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel execution" }).click();
    await expect(sentence(page)).toContainText("Cancelled");
    await expect(task(page, "Write to them")).toContainText("Skipped");
    await expect(page.getByRole("button", { name: "Cancel execution" })).toHaveCount(0);
    const stored = await get(aiko, server.url, `workflow-executions/${execution}`);
    expect(stored.status).toBe("cancelled");
});

test.describe("what is refused", () => {
    // A refusal is an answer, which browsers note in the console.
    test.use({ allowed: /status of (409|422|403|404)/ });

    test("AWorkflowIsMadeChangedPublishedAndRun", async ({ server, aiko, ben }) => {
        await newAgent(aiko, server.url, "Sample clerk", SAMPLE);
        const { page } = ben;
        await page.goto(`${server.url}/rooms`);
        await page.getByRole("navigation", { name: "Main" }).waitFor();
        await page.keyboard.press("g");
        await page.keyboard.press("w");
        await page.waitForURL("**/workflows");

        await page.getByRole("button", { name: "New workflow" }).click();
        await page.getByRole("button", { name: "Make workflow" }).click();
        await expect(page.getByLabel("Name", { exact: true })).toHaveAccessibleDescription(
            "This can't be empty.",
        );
        await page.getByLabel("Name", { exact: true }).fill("Returned parcels");
        await page.getByLabel("Description").fill("Looks at what came back.");
        await page.getByLabel("Agent").selectOption({ label: "Sample clerk" });
        await page.getByRole("button", { name: "Make workflow" }).click();
        await page.getByRole("heading", { level: 1, name: "Returned parcels" }).waitFor();

        // Three tasks by hand: a wrong key is told where it stands.
        await page.getByRole("button", { name: "Write tasks" }).click();
        for (const { key, title } of SAMPLE_TASKS) {
            await page.getByRole("button", { name: "Add task" }).click();
            await page.getByLabel("Title").fill(title);
            await page.getByLabel("Key").fill(key === "decide" ? "not a key" : key);
        }
        const save = page.getByRole("button", { name: "Save tasks" });
        await save.click();
        const wrong = page.getByLabel("Key");
        await expect(wrong).toBeFocused();
        await expect(wrong).toHaveValue("not a key");
        await expect(wrong).toHaveAccessibleDescription(/1 to 40 of the characters/);
        await wrong.fill("decide");
        await page.getByRole("checkbox", { name: "Collect what came back" }).check();
        await page.getByRole("button", { name: /^Write the report/ }).click();
        await page.getByRole("checkbox", { name: "Decide on each parcel" }).check();
        await page.getByLabel("Instructions").fill("One line for each parcel.");
        await save.click();
        await expect(page.getByText("The tasks are saved")).toBeVisible();
        await expect(task(page, "Write the report")).toContainText("after decide");

        await page.getByRole("button", { name: "Publish" }).click();
        const dialog = page.getByRole("dialog");
        await expect(dialog).toContainText("3 tasks become");
        await expect(dialog).toContainText("Decide on each parcel");
        await dialog.getByRole("button", { name: "Publish" }).click();
        await expect(page.getByText("Version 1, published by Ben")).toBeVisible();

        await page.getByRole("button", { name: "Run" }).click();
        await page.waitForURL("**/executions/*");
        await expect(sentence(page)).toContainText(/Completed/);
        await expect(page.getByTestId("timeline")).toContainText("The report is written.");
        await tab(page, "Tasks").click();
        await expect(task(page, "Collect what came back")).toContainText("Completed");
        await expect(task(page, "Collect what came back")).toContainText("Two parcels: a lamp");
        await task(page, "Write the report").getByRole("button").click();
        await page.waitForURL("**/executions/*tab=graph&task=report");
        await page.reload();
        await expect(task(page, "Write the report")).toContainText("One line for each parcel.");
        await expect(page.locator('[data-task="report"]')).toHaveAttribute("data-selected", "");
        await tab(page, "History").click();
        await expect(page.getByRole("region", { name: "History" })).toContainText(/in all/);
        const executions = (await get(ben, server.url, "workflow-executions")).executions;
        expect(
            executions.filter(({ name }: { name: string }) => name === "Returned parcels"),
        ).toHaveLength(1);

        // The palette knows both.
        await page.keyboard.press("Control+k");
        await page.keyboard.type("workflow: returned");
        await page.getByRole("option", { name: "Workflow: Returned parcels" }).click();
        await expect(tab(page, "Design")).toBeVisible();
    });

    test("TwoEditorsLoseNothing", async ({ server, aiko, ben }) => {
        const id = await newWorkflow(aiko, server.url, { name: "Shared", tasks: TASKS });
        const { page } = ben;
        await page.goto(`${server.url}/workflows/${id}`);
        await page.getByRole("button", { name: "Edit tasks" }).click();
        await task(page, "Refund").getByRole("button").first().click();
        await page.getByLabel("Title").fill("Refund it, says Ben");
        await page.getByLabel("Instructions").fill("Ben's instructions");
        await page.getByRole("button", { name: "Add task" }).click();
        await page.getByLabel("Title").fill("Ben's task");
        // What is not saved outlives a reload and another tab of the page.
        await tab(page, "Versions").click();
        await tab(page, "Tasks").click();
        await page.reload();
        await expect(task(page, "Ben's task")).toBeVisible();

        await patch(aiko, server.url, `workflows/${id}`, {
            tasks: [
                { ...TASKS[0], instructions: "Aiko's instructions" },
                { ...TASKS[1], title: "Refund it, says Aiko" },
                { key: "audit", title: "Aiko's task" },
            ],
        });
        const note = page.getByText("Somebody else changed this workflow in the meantime.");
        await page
            .getByRole("button", { name: "Save tasks" })
            .click({ force: true })
            .catch(() => undefined);
        await expect(note).toBeVisible();
        await page.getByRole("button", { name: "Put both together" }).click();
        await expect(page.getByText(/Taken over: .*Aiko's task/)).toBeVisible();
        await expect(page.getByText("Theirs: Refund it, says Aiko")).toBeVisible();
        await expect(task(page, "Refund it, says Ben")).toBeVisible();
        // Nothing was stored over the other's work.
        const between = await get(aiko, server.url, `workflows/${id}`);
        expect(between.tasks[1].title).toBe("Refund it, says Aiko");
        await page.getByRole("button", { name: "Save tasks" }).click();
        await expect(page.getByText("The tasks are saved")).toBeVisible();
        const { tasks } = await get(aiko, server.url, `workflows/${id}`);
        expect(tasks.map(({ title }: { title: string }) => title)).toEqual([
            "Write to them",
            "Refund it, says Ben",
            "Aiko's task",
            "Ben's task",
        ]);
        expect(tasks[0].instructions).toBe("Aiko's instructions");
        expect(tasks[1].instructions).toBe("Ben's instructions");
    });

    test("ASkillThatIsNotHereIsNamed", async ({ server, aiko }) => {
        const agent = await newAgent(aiko, server.url, "Clerk", CLERK);
        const skill = await post(aiko, server.url, "skills", {
            name: "Refund rules",
            url: "https://127.0.0.1:9/rules.git",
        });
        const skill_commit = "a".repeat(40);
        const id = await published(aiko, server.url, {
            name: "Skilled",
            agent,
            tasks: TASKS,
            skill: skill.id,
            skill_commit,
        });
        const { page } = aiko;
        await page.goto(`${server.url}/workflows/${id}`);
        await page.getByRole("button", { name: "Run" }).click();
        await expect(
            page.getByText(`“Refund rules” is not here yet in the revision ${skill_commit}`),
        ).toBeVisible();
        expect(page.url()).toContain(`/workflows/${id}`);
    });

    test("MembersRunWhatIsPublishedAndMakeNothing", async ({ server, aiko, ben, browser }) => {
        const agent = await newAgent(aiko, server.url, "Slow", SLOW);
        const id = await published(aiko, server.url, { name: "For all", agent, tasks: TASKS });
        const draft = await newWorkflow(aiko, server.url, { name: "Not yet", agent, tasks: TASKS });
        const others = await execute(aiko, server.url, id);
        const invited = await post(aiko, server.url, "users", {
            email: `mia-${Date.now()}@example.org`,
            display_name: "Mia",
            role: "member",
        });
        const context = await browser.newContext({ locale: "en-US" });
        const page = await context.newPage();
        await acceptInvitation(page, new URL(invited.link, server.url).href);
        await page.getByRole("link", { name: "Workflows" }).click();
        await page.getByRole("link", { name: "For all" }).first().waitFor();
        await expect(page.getByRole("button", { name: "New workflow" })).toHaveCount(0);
        await page.goto(`${server.url}/workflows/${draft}`);
        await page.getByRole("heading", { level: 1, name: "Not yet" }).waitFor();
        for (const name of ["Run", "Try the draft", "Publish", "Edit tasks"]) {
            await expect(page.getByRole("button", { name }), name).toHaveCount(0);
        }
        await tab(page, "Design").click();
        await expect(page.getByText("The conversation is not yours to see")).toBeVisible();
        await page.goto(`${server.url}/workflows/${id}`);
        await page.getByRole("button", { name: "Run" }).click();
        await page.waitForURL("**/executions/*");
        await expect(sentence(page)).toContainText("Working on");
        await expect(page.getByRole("button", { name: "Cancel execution" })).toBeVisible();
        const own = page.url();
        await page.goto(`${server.url}/executions/${others}`);
        await expect(page.getByText("There is no such execution")).toBeVisible();
        await context.close();

        // Operators look at it, and leave ending it to who started it.
        await ben.page.goto(own);
        await expect(sentence(ben.page)).toContainText("Working on");
        await expect(ben.page.getByRole("button", { name: "Cancel execution" })).toHaveCount(0);
    });
});

test("HostileNamesAreText", async ({ server, aiko }) => {
    const outside: string[] = [];
    const { page } = aiko;
    page.on("request", (request) => {
        if (!request.url().startsWith(server.url)) {
            outside.push(request.url());
        }
    });
    page.on("dialog", () => outside.push("a dialog"));
    const agent = await newAgent(aiko, server.url, "Clerk", CLERK);
    const name = `<img src=x onerror=alert(1)> \u202Egnol${"w".repeat(150)}`;
    const tasks = [
        { ...TASKS[0], title: `<script>alert(1)</script>\u202E${"t".repeat(80)}` },
        { ...TASKS[1], title: "[link](javascript:alert(1))", instructions: "x".repeat(4_000) },
    ];
    const id = await published(aiko, server.url, {
        name,
        agent,
        tasks,
        description: "d".repeat(9_000),
    });
    const execution = await execute(aiko, server.url, id, { name: name.slice(0, 190) });
    for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 844 });
        for (const path of [
            "/workflows",
            `/workflows/${id}`,
            `/workflows/${id}?tab=versions`,
            `/workflows/${id}?tab=design`,
            "/executions",
            `/executions/${execution}`,
            `/executions/${execution}?tab=graph&task=second`,
            `/executions/${execution}?tab=tools`,
            `/executions/${execution}?tab=history`,
        ]) {
            await page.goto(server.url + path);
            await page.getByText("<img src=x").locator("visible=true").first().waitFor();
            const over = await page.evaluate(
                () => document.documentElement.scrollWidth - innerWidth,
            );
            expect(over, `${path} at ${width}`).toBeLessThanOrEqual(0);
        }
    }
    await expect(page.locator("main img, main script, a[href^='javascript']")).toHaveCount(0);
    expect(outside).toEqual([]);
});

test("AHiddenPageAsksForNothing", async ({ server, aiko }) => {
    const agent = await newAgent(aiko, server.url, "Slow", SLOW);
    const id = await published(aiko, server.url, { name: "Watched", agent, tasks: TASKS });
    const execution = await execute(aiko, server.url, id);
    const { page } = aiko;
    let asked = 0;
    page.on("request", (request) => {
        asked += request.url().includes(`workflow-executions/${execution}`) ? 1 : 0;
    });
    await page.goto(`${server.url}/executions/${execution}?tab=graph`);
    await expect(sentence(page)).toContainText("Working on");
    const shown = asked;
    await expect.poll(() => asked).toBeGreaterThan(shown + 2);
    await page.evaluate(() => {
        Object.defineProperty(document, "visibilityState", {
            get: () => "hidden",
            configurable: true,
        });
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    });
    // What was under way when it was hidden.
    await page.waitForTimeout(500);
    const hidden = asked;
    await page.waitForTimeout(5_000);
    expect(asked).toBe(hidden);
    await page.evaluate(() => {
        Object.defineProperty(document, "visibilityState", {
            get: () => "visible",
            configurable: true,
        });
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    });
    await expect.poll(() => asked, { timeout: 1_500 }).toBeGreaterThan(hidden);
});

test("OnAPhoneTheListComesFirstAndTheDrawingOnDemand", async ({ server, aiko }) => {
    const agent = await newAgent(aiko, server.url, "Slow", SLOW);
    const id = await published(aiko, server.url, { name: "Small", agent, tasks: TASKS });
    const execution = await execute(aiko, server.url, id);
    const { page } = aiko;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${server.url}/executions/${execution}?tab=graph`);
    await expect(task(page, "Refund")).toContainText("after Write to them");
    await expect(page.locator("[data-task]")).toHaveCount(0);
    await page.getByRole("button", { name: "Show as a drawing" }).click();
    await page.locator('[data-task="second"]').click();
    await page.waitForURL(/task=second/);
    await expect(task(page, "Refund").getByRole("button")).toHaveAttribute("aria-expanded", "true");
});

test.describe("an address without an execution", () => {
    // It is looked at as well, and its refusal is noted in the console.
    test.use({ allowed: /status of 404/ });

    for (const { theme, language, width } of variants) {
        test(`AxeFindsNothingInWorkflows ${theme} ${language} ${width}`, async ({
            server,
            aiko,
        }) => {
            test.setTimeout(240_000);
            const { page } = aiko;
            const agent = await newAgent(aiko, server.url, "Clerk", CLERK);
            const id = await published(aiko, server.url, {
                name: "Axe",
                agent,
                tasks: TASKS,
            });
            await patch(aiko, server.url, `workflows/${id}`, {
                tasks: [{ ...TASKS[0], title: "Else" }],
            });
            const execution = await execute(aiko, server.url, id);
            const tried = await execute(aiko, server.url, id, { draft: true });
            await page.goto(`${server.url}/settings`);
            await page.evaluate(
                (preferences) => localStorage.setItem("convene.preferences", preferences),
                JSON.stringify({ theme, language }),
            );
            const button = (name: RegExp) => page.getByRole("button", { name }).first();
            await page.setViewportSize({ width, height: 844 });
            for (const [path, ready] of [
                ["/workflows", "tbody tr"],
                [`/workflows/${id}?task=first`, "ol li"],
                [`/workflows/${id}?tab=versions`, "del"],
                [`/workflows/${id}?tab=design`, "main textarea"],
                ["/executions", "tbody tr"],
                ["/executions?status=cancelled&workflow=none", "main a"],
                [`/executions/${execution}`, "[data-event-index]"],
                [`/executions/${execution}?tab=graph&task=first`, "ol li"],
                [`/executions/${tried}?tab=tools`, "tbody tr"],
                [`/executions/${execution}?tab=history`, "ol li"],
                ["/executions/nowhere", "main a"],
            ] as const) {
                await page.goto(server.url + path);
                await page.locator(ready).first().waitFor();
                await expectNothingSerious(page, `${path} at ${width}`);
            }
            await page.goto(`${server.url}/workflows`);
            await button(/^(New workflow|新しいワークフロー)$/).click();
            await expectNothingSerious(page, "new workflow");
            await page.goto(`${server.url}/workflows/${id}`);
            await button(/^(Publish|公開)$/).click();
            await page.locator("[role=dialog] li").first().waitFor();
            await expectNothingSerious(page, "publish");
            await page.keyboard.press("Escape");
            await button(/^(Edit tasks|タスクを編集)$/).click();
            await button(/^Else/).click();
            await page.locator("main textarea").first().waitFor();
            await expectNothingSerious(page, "editor");
            await button(/^(Close|閉じる)$/).click();
            await button(/^(Actions for this workflow|このワークフローの操作)$/).click();
            await page.getByRole("menu").waitFor();
            await expectNothingSerious(page, "menu");
        });
    }
});

test("WordsFollowTheLanguage", async ({ server, aiko }) => {
    const agent = await newAgent(aiko, server.url, "Clerk", CLERK);
    const id = await published(aiko, server.url, { name: "返品", agent, tasks: TASKS });
    const execution = await execute(aiko, server.url, id);
    const { page } = aiko;
    await page.goto(`${server.url}/executions/${execution}?tab=graph`);
    await page.getByRole("heading", { level: 1, name: "返品" }).waitFor();
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("searchbox")).toBeFocused();
    await page.keyboard.type("日本語");
    await page.keyboard.press("Enter");
    await expect(tab(page, "ツール呼び出し")).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("lang", "ja");
    await expect(page.getByRole("list", { name: "タスク" })).toContainText(
        "先に終えるタスク: Write to them",
    );
    await page.getByRole("link", { name: "ワークフロー", exact: true }).click();
    await expect(page.getByRole("row", { name: /返品/ })).toContainText("公開済み");
});
