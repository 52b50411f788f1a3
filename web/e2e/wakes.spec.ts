// SPDX-License-Identifier: Apache-2.0
// What an agent goes on with later: seen in its room, and taken back as long as it has not begun.
import type { Page } from "@playwright/test";
import { agentRoom, makeAgent } from "./agents";
import { expectNothingSerious } from "./axe";
import {
    bringIn,
    composerOf,
    enterRoom,
    expect,
    get,
    onWorkersToo,
    type Person,
    post,
    say,
    test,
} from "./check";
import { showAs, variants } from "./variants";

const SCRIPT = `when says "Your note: say it"
    say Here I am.
when says "remind me soon"
    call wake_me {"in_seconds": 3, "note": "say it"}
    say I will, soon.
when says "remind me"
    call wake_me {"in_seconds": 600, "note": "look at the oven"}
    say I will.
when says "tasks of this execution"
    call start_task {"key": "first"}
    say I wait for the post.
when says "design"
    call set_tasks {"tasks": [{"key": "first", "title": "Write to them"}]}
otherwise
    say You said: $user
`;
const TOOLS = { tools: ["wake_me"] };

const statusOf = (page: Page) => page.getByTestId("agent");
const wakesOf = (page: Page) => page.getByTestId("wakes");
const rowsOf = (page: Page) => wakesOf(page).getByRole("listitem");
const takeBackIn = (page: Page) => wakesOf(page).getByRole("button", { name: "Take back" });
const textOf = (page: Page, text: string) => page.getByTestId("timeline").getByText(text);

async function storedOf(person: Person, url: string, place: string): Promise<{ text: string }[]> {
    return (await get(person, url, `${place}/agent/wakes`)).wakes;
}

function sayLater(person: Person, url: string, place: string, seconds: number, text: string) {
    return post(person, url, `${place}/agent/wakes`, { in_seconds: seconds, text });
}

test(
    "WhatTheAgentSetForItselfIsShownAfterAReloadTooAndTakenBack",
    onWorkersToo,
    async ({ server, aiko }) => {
        const { room } = await agentRoom(aiko, server.url, "Oven", SCRIPT, TOOLS);
        const { page } = aiko;
        await enterRoom(aiko, server.url, room);
        await say(page, "remind me");
        for (const when of ["at once", "after a reload"]) {
            await expect(statusOf(page), when).toHaveAttribute("data-status", "scheduled");
            await expect(rowsOf(page), when).toHaveCount(1);
            await expect(rowsOf(page), when).toContainText("Goes on in 10 minutes · set by Helper");
            // The note, without the words around it that are for the model.
            await expect(rowsOf(page).getByText("look at the oven", { exact: true })).toBeVisible();
            await page.reload();
        }
        // The row stays until the server has answered.
        let letGo: () => void = () => undefined;
        const isHeld = new Promise<void>((resolve) => {
            letGo = resolve;
        });
        await page.route("**/agent/wakes/*", async (route) => {
            await isHeld;
            await route.continue();
        });
        await takeBackIn(page).click();
        await expect(wakesOf(page).getByRole("button", { name: "Taking back" })).toBeDisabled();
        await expect(rowsOf(page)).toContainText("look at the oven");
        expect(await storedOf(aiko, server.url, `rooms/${room}`)).toHaveLength(1);
        letGo();
        await expect(wakesOf(page)).toHaveCount(0);
        await expect(statusOf(page)).toHaveAttribute("data-status", "idle");
        await expect(composerOf(page)).toBeFocused();
        expect(await storedOf(aiko, server.url, `rooms/${room}`)).toEqual([]);
    },
);

/** The page is told of nothing that changes in sessions: it has what is said in the room, and what it asks. */
function keepNewsFrom(page: Page): Promise<void> {
    return page.routeWebSocket(/\/api\/v1\/ws$/, (socket) => {
        const server = socket.connectToServer();
        server.onMessage((message) => {
            if (!String(message).includes('"session_changed"')) {
                socket.send(message);
            }
        });
    });
}

/** Both are in a room with the agent; the second is told of no session. */
async function enterUntold(told: Person, untold: Person, url: string, name: string) {
    const { room } = await agentRoom(told, url, name, SCRIPT, TOOLS);
    await bringIn(told, url, room, untold);
    await keepNewsFrom(untold.page);
    await enterRoom(untold, url, room);
    await enterRoom(told, url, room);
}

test("WhenItHasBegunTheLineGoesByItself", onWorkersToo, async ({ server, aiko, ben }) => {
    await enterUntold(aiko, ben, server.url, "Soon");
    await say(aiko.page, "remind me soon");
    for (const { page } of [aiko, ben]) {
        await expect(rowsOf(page)).toContainText("Goes on within a minute");
    }
    for (const { page } of [aiko, ben]) {
        await expect(textOf(page, "Here I am.")).toBeVisible();
        await expect(wakesOf(page)).toHaveCount(0);
        await expect(statusOf(page)).toHaveAttribute("data-status", "idle");
    }
});

test("WhoeverIsNotToldSeesItWhenTheyLookAgain", async ({ server, aiko, ben }) => {
    await enterUntold(aiko, ben, server.url, "Not told");
    await say(aiko.page, "remind me");
    await expect(rowsOf(ben.page)).toContainText("look at the oven");
    await takeBackIn(aiko.page).click();
    await expect(wakesOf(aiko.page)).toHaveCount(0);
    await ben.page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await expect(wakesOf(ben.page)).toHaveCount(0);
    await expect(statusOf(ben.page)).toHaveAttribute("data-status", "idle");
});

test("SeveralAreSeenSoonestFirstAndGoOnEveryPageOneByOne", async ({ server, aiko, ben }) => {
    const { room } = await agentRoom(aiko, server.url, "Several", SCRIPT, TOOLS);
    const place = `rooms/${room}`;
    await bringIn(aiko, server.url, room, ben);
    await enterRoom(aiko, server.url, room);
    await enterRoom(ben, server.url, room);
    // Nobody writes in the room: the pages learn of it by themselves.
    await sayLater(aiko, server.url, place, 400 * 60, "the second");
    await sayLater(ben, server.url, place, 40 * 86_400, "the last");
    await sayLater(aiko, server.url, place, 300, "the first");
    for (const { page } of [aiko, ben]) {
        await expect(rowsOf(page)).toHaveCount(1);
        await expect(rowsOf(page)).toContainText("the first");
        await expect(wakesOf(page).getByRole("button", { name: "2 more" })).toBeVisible();
        await wakesOf(page).getByRole("button", { name: "2 more" }).click();
        await expect(rowsOf(page)).toHaveCount(3);
    }
    const { page } = aiko;
    await expect(rowsOf(page).nth(0)).toContainText("Goes on in 5 minutes");
    await expect(rowsOf(page).nth(1)).toContainText(/Goes on at \w+ \d+, \d{4}.* · .*the second/);
    await expect(rowsOf(page).nth(2)).toContainText("set by Ben");
    await expect(rowsOf(page).nth(2)).toContainText("the last");
    for (const gone of ["the last", "the first", "the second"]) {
        await rowsOf(page).filter({ hasText: gone }).getByRole("button").click();
        for (const each of [page, ben.page]) {
            await expect(rowsOf(each).filter({ hasText: gone })).toHaveCount(0);
        }
        const stored = await storedOf(aiko, server.url, place);
        expect(stored.map(({ text }) => text)).not.toContain(gone);
    }
    for (const each of [page, ben.page]) {
        await expect(wakesOf(each)).toHaveCount(0);
        await expect(statusOf(each)).toHaveAttribute("data-status", "idle");
    }
});

test.describe("what is refused", () => {
    // A refusal is an answer, which browsers note in the console.
    test.use({ allowed: /status of (409|503)/ });

    test("WhatHasBegunIsSaidInWords", async ({ server, aiko }) => {
        const { room } = await agentRoom(aiko, server.url, "Begun", SCRIPT, TOOLS);
        const { page } = aiko;
        await enterRoom(aiko, server.url, room);
        await sayLater(aiko, server.url, `rooms/${room}`, 600, "too late");
        await expect(rowsOf(page)).toContainText("too late");
        for (const [status, code, words] of [
            [409, "WAKE_BEGUN", "Not taken back: it has begun already, or is over."],
            [503, "OVERLOADED", "The server is too busy at the moment."],
        ] as const) {
            await page.route("**/agent/wakes/*", (route) =>
                route.fulfill({ status, json: { code, status, title: code } }),
            );
            await takeBackIn(page).click();
            await expect(page.getByRole("status").getByText(words), code).toBeVisible();
            // The server has it still.
            await expect(rowsOf(page), code).toContainText("too late");
            await expect(takeBackIn(page), code).toBeEnabled();
            await page.unroute("**/agent/wakes/*");
        }
        await takeBackIn(page).click();
        await expect(wakesOf(page)).toHaveCount(0);
    });
});

test("OnlyWhoAsksTheAgentOfAnExecutionOrADesignTakesBack", async ({ server, aiko, ben }) => {
    const agent = await makeAgent(aiko, server.url, "Postman", SCRIPT, { tools: [] });
    const tasks = [{ key: "first", title: "Write to them" }];
    const workflow = { name: "Post", agent, tasks };
    const { id } = await post(aiko, server.url, "workflows", workflow);
    await post(aiko, server.url, `workflows/${id}/publish`, {});
    const run = await post(aiko, server.url, `workflows/${id}/execute`, {});
    const execution = `workflow-executions/${run.id}`;
    const chat = `${server.url}/executions/${run.id}`;
    await aiko.page.goto(chat);
    await expect(textOf(aiko.page, "I wait for the post.")).toBeVisible();
    await sayLater(aiko, server.url, execution, 900, "is it there?");
    // Operators look at it, and leave it to who started it.
    await ben.page.goto(chat);
    for (const { page } of [aiko, ben]) {
        await expect(rowsOf(page)).toContainText("is it there?");
    }
    await expect(takeBackIn(ben.page)).toHaveCount(0);
    await takeBackIn(aiko.page).click();
    for (const { page } of [aiko, ben]) {
        await expect(wakesOf(page)).toHaveCount(0);
    }
    expect(await storedOf(aiko, server.url, execution)).toEqual([]);
    await post(aiko, server.url, `${execution}/cancel`, {});

    const drafted = { name: "By prompt", agent, prompt: "design" };
    const design = `workflows/${(await post(ben, server.url, "workflows", drafted)).id}`;
    await ben.page.goto(`${server.url}/${design}?tab=design`);
    await expect(statusOf(ben.page)).toHaveAttribute("data-status", "idle");
    await sayLater(ben, server.url, design, 900, "one more task");
    await expect(rowsOf(ben.page)).toContainText("one more task");
    await takeBackIn(ben.page).click();
    await expect(wakesOf(ben.page)).toHaveCount(0);
    expect(await storedOf(ben, server.url, design)).toEqual([]);
});

test("AxeFindsNothingSeriousInWhatGoesOnLater", async ({ server, aiko }) => {
    const { room } = await agentRoom(aiko, server.url, "Later, judged", SCRIPT, TOOLS);
    const place = `rooms/${room}`;
    const { page } = aiko;
    for (let at = 1; at <= 12; at += 1) {
        await sayLater(
            aiko,
            server.url,
            place,
            at * 1_000,
            `${at} ${"and more of it ".repeat(20)}`,
        );
    }
    await page.goto(`${server.url}/${place}`);
    for (const variant of variants) {
        const { theme, language, width } = variant;
        await showAs(page, variant);
        await expect(rowsOf(page)).toHaveCount(1);
        await wakesOf(page).getByRole("button").last().click();
        await expect(rowsOf(page)).toHaveCount(12);
        await expectNothingSerious(page, `${language} ${theme} ${width}`);
        const over = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(over, `${language} ${width}`).toBeLessThanOrEqual(0);
    }
});
