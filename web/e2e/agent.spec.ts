// SPDX-License-Identifier: Apache-2.0
// Talking with an agent: what it says, thinks and calls is there once, on every page, and over every cut.
import type { Page } from "@playwright/test";
import { agentRoom, linesOf, makeAgent, runsOf } from "./agents";
import { expectNothingSerious } from "./axe";
import {
    bringIn,
    composerOf,
    enterRoom,
    eventsOf,
    expect,
    get,
    onWorkersToo,
    post,
    remove,
    say,
    settled,
    test,
} from "./check";
import { showAs, variants } from "./variants";

const statusOf = (page: Page) => page.getByTestId("agent");
/** In the list: what is announced has the same words. */
const textOf = (page: Page, text: string) => page.getByTestId("timeline").getByText(text);

/** The run is over, and the page says so. */
async function waitForEnd(page: Page): Promise<void> {
    await expect(statusOf(page)).not.toHaveAttribute("data-status", /running|queued/);
}

const TALK = `when says "two tools"
    think The user wants two things done. I do one after the other.
    say I write it down.
    call add_task {"title": "Call $user"}
    say One more thing, and then it is done.
    wait 8s
    say Now the second.
    call observe {"text": "busy"}
    say Both are done: $result
otherwise
    say You said: $user
`;

test(
    "ARunIsShownAsItHappensAndTheSameAfterAReloadAndOnAThirdPage",
    onWorkersToo,
    async ({ server, aiko, ben }) => {
        const { room } = await agentRoom(aiko, server.url, "Two tools", TALK);
        await bringIn(aiko, server.url, room, ben);
        const { page } = aiko;
        await enterRoom(aiko, server.url, room);
        await enterRoom(ben, server.url, room);
        await say(page, "two tools please");

        // In the middle of it: the thought is folded to a line, the first call is one.
        await expect(page.locator("[data-call]")).toHaveCount(1);
        await expect(textOf(page, "One more thing")).toBeVisible();
        await expect(page.getByRole("button", { name: /^Thought for/ })).toBeVisible();
        await page.reload();
        await expect(textOf(page, "One more thing")).toBeVisible();
        await expect(page.getByRole("button", { name: /^Thought/ })).toBeVisible();
        expect((await runsOf(aiko, server.url, room))[0]?.status).toBe("running");
        await expect(statusOf(page)).toHaveAttribute("data-status", "running");

        // A page that comes late, and one that was there all the time.
        const third = await aiko.context.newPage();
        await third.goto(`${server.url}/rooms/${room}`);
        for (const each of [page, third, ben.page]) {
            await expect(textOf(each, "Both are done: Noted.")).toBeVisible();
            await waitForEnd(each);
            await expect(each.locator("[data-call='done']")).toHaveCount(2);
            await expect(each.locator("[data-thinking]")).toHaveCount(1);
            await expect(each.locator("[data-live]")).toHaveCount(0);
            await expect(each.locator("[data-ended]")).toHaveCount(0);
        }
        const lines = await linesOf(page);
        expect(lines).toHaveLength(8);
        expect(lines.slice(2)).toEqual([
            expect.stringMatching(/^Thought$/),
            "I write it down.",
            "add task done",
            expect.stringMatching(/One more thing, and then it is done\.\s*Now the second\./),
            "observe done",
            "Both are done: Noted.",
        ]);
        expect(await linesOf(third)).toEqual(lines);
        expect(await linesOf(ben.page)).toEqual(lines);
        const runs = await runsOf(aiko, server.url, room);
        expect(runs.map(({ status }) => status)).toEqual(["finished"]);
    },
);

test("ANewRoomIsMadeWithAnAgentFromThePage", async ({ server, aiko }) => {
    await makeAgent(aiko, server.url, "Clerk", "otherwise\n    say Here I am, $name.\n");
    const { page } = aiko;
    await page.goto(`${server.url}/rooms`);
    await page.getByRole("button", { name: "New room" }).first().click();
    await page.getByLabel("Name").fill("With a clerk");
    await page.getByLabel("With an agent").selectOption("Clerk");
    await page.getByRole("button", { name: "Create room" }).click();
    await page.getByRole("heading", { level: 1, name: "With a clerk" }).waitFor();
    await expect(statusOf(page)).toHaveAttribute("data-status", "idle");
    await say(page, "hello");
    await expect(textOf(page, "Here I am,")).toBeVisible();
    await expect(page.getByRole("article", { name: "Clerk" })).toHaveCount(1);
    await expect(
        page.getByRole("status").getByText("Clerk: answer complete. Here I am"),
    ).toHaveCount(1);
});

const SLOW = `when says "fail"
    say I am about to
    fail cut-off
when says "silent"
    fail unavailable
when says "may I"
    call request_approval {"title": "Delete it?"}
    if worked say Done.
otherwise
    say One two three four five.
    wait 300s
    say And the rest.
`;

test("StopEndsTheRunWithinASecondAndKeepsWhatWasSaid", onWorkersToo, async ({ server, aiko }) => {
    const { room } = await agentRoom(aiko, server.url, "Stop", SLOW);
    const { page } = aiko;
    await enterRoom(aiko, server.url, room);
    for (const how of ["button", "key"]) {
        await say(page, `go on by ${how}`);
        await expect(page.locator("[data-live]")).toContainText("four five.");
        const began = Date.now();
        if (how === "button") {
            await page.getByRole("button", { name: "Stop", exact: true }).click();
        } else {
            await composerOf(page).press("Control+.");
        }
        await waitForEnd(page);
        expect(Date.now() - began, how).toBeLessThan(1_000);
        await expect(page.getByText("Stopped by you")).toHaveCount(how === "button" ? 1 : 2);
        await expect(page.getByRole("button", { name: "Stop", exact: true })).toHaveCount(0);
    }
    await expect(textOf(page, "One two three four five.")).toHaveCount(2);
    await page.reload();
    // Who it was is not stored.
    await expect(page.getByText("Stopped", { exact: true })).toHaveCount(2);
    await expect(textOf(page, "One two three four five.")).toHaveCount(2);
    await expect(textOf(page, "And the rest.")).toHaveCount(0);
});

test.describe("when another run goes on", () => {
    test.use({ allowed: /status of 409/ });

    test(
        "AMessageSaysWhoseAndSinceWhenAndIsSentAfterwards",
        onWorkersToo,
        async ({ server, aiko, ben }) => {
            const { room } = await agentRoom(aiko, server.url, "Busy", SLOW);
            await bringIn(aiko, server.url, room, ben);
            await enterRoom(ben, server.url, room);
            await enterRoom(aiko, server.url, room);
            await say(aiko.page, "first");
            await expect(ben.page.locator("[data-live]")).toContainText("four five.");
            await say(ben.page, "second");
            const refused = ben.page.locator('[data-pending="refused"]');
            await expect(refused).toContainText(/Not sent: .+ is running since \d/);
            await refused.getByRole("button", { name: "Watch" }).click();
            await expect(ben.page.locator("[data-live]")).toBeInViewport();
            await refused.getByRole("button", { name: "Stop" }).click();
            await waitForEnd(ben.page);
            await waitForEnd(aiko.page);
            await expect(aiko.page.getByText("Stopped", { exact: true })).toHaveCount(1);
            await refused.getByRole("button", { name: "Retry" }).click();
            await expect(ben.page.locator("[data-pending]")).toHaveCount(0);
            await expect(ben.page.locator("[data-live]")).toContainText("four five.");
            const events = await eventsOf(aiko, server.url, room);
            expect(events.filter(({ content }) => content.body === "second")).toHaveLength(1);
            await composerOf(ben.page).press("Control+.");
            await waitForEnd(ben.page);
        },
    );
});

test("AFailureSaysWhatHappenedAlsoAfterAReload", async ({ server, aiko }) => {
    const { room } = await agentRoom(aiko, server.url, "Failure", SLOW);
    const { page } = aiko;
    await enterRoom(aiko, server.url, room);
    await say(page, "silent");
    await expect(page.getByText("The model can't be reached.")).toBeVisible();
    await say(page, "fail");
    await expect(textOf(page, "The answer ended in the middle.")).toBeVisible();
    const shown = [
        expect.stringContaining("silent"),
        expect.stringContaining("The model can't be reached."),
        expect.stringContaining("fail"),
        expect.stringContaining("I am about to"),
        expect.stringContaining("The answer ended in the middle."),
    ];
    await expect.poll(async () => (await linesOf(page)).slice(1)).toEqual(shown);
    await page.reload();
    await expect.poll(async () => (await linesOf(page)).slice(1)).toEqual(shown);
});

test("AQuestionIsSaidAsTheStateAndWhatFollowsItsAnswerIsWatched", async ({ server, aiko }) => {
    const { room } = await agentRoom(aiko, server.url, "Approval", SLOW);
    const { page } = aiko;
    await enterRoom(aiko, server.url, room);
    await say(page, "may I");
    await expect(statusOf(page)).toHaveText("Waiting for an approval");
    await expect(page.locator("[data-call='asked']")).toHaveCount(1);
    const { interrupts } = await get(aiko, server.url, `rooms/${room}/session`);
    await aiko.context.request.patch(`${server.url}/api/v1/approvals/${interrupts[0].id}`, {
        data: { status: "approved" },
        headers: { "X-CSRF-Token": aiko.csrf },
    });
    await expect(textOf(page, "Done.")).toBeVisible();
    await waitForEnd(page);
    await expect(page.locator("[data-call='done']")).toHaveCount(1);
    await expect(page.locator("[data-call]")).toHaveCount(1);
});

test("AMessageInTheOrdinaryWayIsAnsweredAndWatchedToo", async ({ server, aiko, ben }) => {
    const { room } = await agentRoom(aiko, server.url, "In turn", TALK);
    const { page } = aiko;
    await enterRoom(aiko, server.url, room);
    await post(ben, server.url, `rooms/${room}/events`, {
        content: { type: "text", body: "two tools, ben says" },
    });
    await expect(page.locator("[data-thinking]")).toHaveCount(1);
    await expect(textOf(page, "One more thing")).toBeVisible();
    await expect(statusOf(page)).toHaveAttribute("data-status", "running");
    await expect(textOf(page, "Both are done: Noted.")).toBeVisible();
    await waitForEnd(page);
});

test.describe("when the server goes", () => {
    test.use({ allowed: /WebSocket|ERR_|Failed to load resource/ });

    test("ARunThatWasCutGoesOnAndSaysWhoTookItUp", onWorkersToo, async ({ server, aiko }) => {
        const { room } = await agentRoom(
            aiko,
            server.url,
            "Cut",
            `otherwise
    say This was said before.
    wait 20s
    say This was not.
    call add_task {"title": "x"}
    say This is said afterwards.
`,
        );
        const { page } = aiko;
        await enterRoom(aiko, server.url, room);
        await say(page, "begin");
        await expect(page.locator("[data-live]")).toContainText("said before.");
        await server.kill();
        await server.start();
        await expect(textOf(page, "This is said afterwards.")).toBeVisible({ timeout: 30_000 });
        await waitForEnd(page);
        await expect(textOf(page, "This was said before.")).toHaveCount(1);
        await expect(page.locator("[data-takeover]")).toHaveText("Continued by another worker");
        await expect(page.locator("[data-live]")).toHaveCount(0);
        await expect(page.locator("[data-ended]")).toHaveCount(0);
        const lines = await linesOf(page);
        await page.reload();
        await expect(textOf(page, "This is said afterwards.")).toBeVisible();
        expect(await linesOf(page)).toEqual(lines);
    });
});

/** About three hundred pieces, and taller than the window. */
const LONG = `otherwise
${Array.from({ length: 30 }, (_, at) => `    say Line ${at} ${"and-more-of-it ".repeat(8)}`).join("\n")}
    say The very end.
`;

test("AnAnswerThatGrowsMovesNobodyWhoReadsElsewhere", async ({ server, aiko }) => {
    test.slow();
    const { room } = await agentRoom(aiko, server.url, "Growing answer", LONG);
    const { page } = aiko;
    await enterRoom(aiko, server.url, room);
    const timeline = page.getByTestId("timeline");
    const gap = () =>
        timeline.evaluate((place) => place.scrollHeight - place.scrollTop - place.clientHeight);

    // Whoever reads the end goes on reading it, picture by picture.
    await say(page, "first");
    await expect(page.locator("[data-live]")).toContainText("Line 4");
    const largest = await timeline.evaluate(async (place) => {
        let most = 0;
        for (let frames = 0; frames < 60; frames += 1) {
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            most = Math.max(most, place.scrollHeight - place.scrollTop - place.clientHeight);
        }
        return most;
    });
    expect(largest).toBeLessThanOrEqual(2);
    await expect(textOf(page, "The very end.")).toBeVisible({ timeout: 30_000 });
    await waitForEnd(page);
    await settled(page);
    expect(await gap()).toBeLessThanOrEqual(2);

    // Whoever has scrolled up a little stays where they are, also where a frame brings as much as they scrolled.
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: 8 });
    await say(page, "second");
    await expect(page.locator("[data-live]")).toContainText("Line 4");
    await timeline.hover();
    await page.mouse.wheel(0, -40);
    await expect.poll(gap).toBeGreaterThan(30);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
    await page.waitForTimeout(200);
    const held = await timeline.evaluate((place) => place.scrollTop);
    await expect(page.locator("[data-live]")).toContainText("Line 12", { timeout: 30_000 });
    expect(await timeline.evaluate((place) => place.scrollTop)).toBe(held);
    await expect(statusOf(page)).toHaveAttribute("data-status", "idle", { timeout: 30_000 });
    await settled(page);
    expect(await timeline.evaluate((place) => place.scrollTop)).toBe(held);
});

const HOSTILE = [
    `<img src="https://example.invalid/x.png" onerror="alert(1)"><script>alert(2)</script>`,
    "[click](javascript:alert(3)) ![pixel](https://example.invalid/pixel.png)",
    `a name \u202egpj.exe ${"x".repeat(20_000)}`,
].join("\n\n");

test("WhatAToolAnswersIsTextAndNothingElse", async ({ server, aiko }) => {
    const script = `when says "look back"
    call read_messages {"limit": 10}
    say That was it.
otherwise
    think $user
    call add_task {"title": "$user"}
    say $user
`;
    // What it is shown of the room is short: the rest it has to ask for.
    const { room } = await agentRoom(aiko, server.url, "Hostile", script, { history_tokens: 100 });
    const { page } = aiko;
    const outside: string[] = [];
    page.on("request", (request) => {
        if (!request.url().startsWith(server.url)) {
            outside.push(request.url());
        }
    });
    page.on("dialog", (dialog) => {
        outside.push(dialog.message());
        void dialog.dismiss();
    });
    await enterRoom(aiko, server.url, room);
    await post(aiko, server.url, `rooms/${room}/events`, {
        content: { type: "text", body: HOSTILE },
    });
    await expect(page.locator("[data-call]")).toHaveCount(1);
    await waitForEnd(page);
    await page.locator("[data-thinking] button").first().click();
    await page.locator("[data-call] button").first().click();
    await expect(page.getByRole("region", { name: "Arguments" })).toContainText("<script>");
    await page.locator("[data-call] button").first().click();
    await say(page, "look back");
    await expect(textOf(page, "That was it.")).toBeVisible();
    await waitForEnd(page);
    await page.locator("[data-call] button").last().click();
    const result = page.getByRole("region", { name: "Result" });
    await expect(result).toContainText("<script>alert(2)</script>");
    await settled(page);
    await expect(page.getByTestId("timeline").locator("img, [href^='javascript']")).toHaveCount(0);
    expect(outside).toEqual([]);
    const isWide = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(isWide).toBe(false);
});

test("LinesUnfoldByKeyAndByBothEnds", async ({ server, aiko }) => {
    const script = `otherwise
    think A thought.
    call observe {"text": "busy"}
    say Noted.
`;
    const { room } = await agentRoom(aiko, server.url, "Folding", script);
    const { page } = aiko;
    await enterRoom(aiko, server.url, room);
    await say(page, "go");
    await expect(textOf(page, "Noted.")).toBeVisible();
    await waitForEnd(page);
    const call = page.getByRole("button", { name: /observe/ });
    await composerOf(page).press("Escape");
    await call.focus();
    await page.keyboard.press("o");
    const given = page.getByRole("region", { name: "Arguments" });
    await expect(given).toContainText('text: "busy"');
    await page.getByRole("button", { name: "Fold", exact: true }).click();
    await expect(given).toHaveCount(0);
    await expect(call).toBeFocused();
});

test("AxeFindsNothingInARoomWithAnAgent", async ({ server, aiko }) => {
    test.slow();
    const { room } = await agentRoom(aiko, server.url, "Axe", SLOW);
    const { page } = aiko;
    await enterRoom(aiko, server.url, room);
    await say(page, "fail");
    await expect(textOf(page, "The answer ended in the middle.")).toBeVisible();
    await say(page, "may I");
    await expect(page.locator("[data-call='asked']")).toHaveCount(1);
    await page.locator("[data-call] button").first().click();
    for (const variant of variants) {
        const { theme, language, width } = variant;
        await showAs(page, variant);
        await expect(page.locator("[data-call='asked']")).toHaveCount(1);
        await page.locator("[data-call] button").first().click();
        await expectNothingSerious(page, `${language} ${theme} ${width}`);
    }
    // Its question waits for a decision: in the inbox of whoever comes next as well.
    await page.goto("about:blank");
    await remove(aiko, server.url, `rooms/${room}`);
});
