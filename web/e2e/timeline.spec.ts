// SPDX-License-Identifier: Apache-2.0
// Reading far back: nothing moves what is being read, and only what is visible is in the document.
import type { Locator, Page } from "@playwright/test";
import {
    bringIn,
    composerOf,
    enterRoom,
    eventsOf,
    expect,
    fillRoom,
    newRoom,
    patch,
    post,
    say,
    settled,
    test,
} from "./check";

const EVENTS = 5_000;
const ROUNDS = 5;
/** As the app asks for them. */
const PAGE = 100;

/** How many older pages the app asked for. */
function countPages(page: Page): () => number {
    let pages = 0;
    page.on("request", (request) => {
        if (request.url().includes("before_index=")) {
            pages += 1;
        }
    });
    return () => pages;
}

/** The row in the middle, and where it is once nothing moves any more. */
async function rowInTheMiddle(page: Page): Promise<{ id: string; top: number }> {
    await settled(page);
    return page.getByTestId("timeline").evaluate((place) => {
        const middle = place.getBoundingClientRect().top + place.clientHeight / 2;
        const row = [...place.querySelectorAll<HTMLElement>("[data-event-id]")].find(
            (each) => each.getBoundingClientRect().bottom > middle,
        );
        return { id: row?.dataset.eventId ?? "", top: row?.getBoundingClientRect().top ?? 0 };
    });
}

/** How many rows are loaded, seen or not. */
async function sizeOf(timeline: Locator): Promise<number> {
    return Number(await timeline.getByRole("listitem").first().getAttribute("aria-setsize"));
}

test("OlderPagesDoNotMoveWhatIsRead", async ({ server, aiko }) => {
    test.slow();
    const room = await newRoom(aiko, server.url, "Archive");
    await aiko.page.goto(`${server.url}/rooms`);
    const bodies = Array.from(
        { length: EVENTS },
        (_, at) => `entry ${at} ${"and some more words ".repeat(at % 13)}`,
    );
    await fillRoom(aiko, room, bodies);
    const { page } = aiko;
    const pages = countPages(page);
    await page.goto(`${server.url}/rooms/${room}?at=${EVENTS / 2}`);
    const timeline = page.getByTestId("timeline");
    await expect(timeline.locator(`[data-event-index="${EVENTS / 2}"]`)).toBeInViewport();

    for (let round = 0; round < ROUNDS; round += 1) {
        await rowInTheMiddle(page);
        const asked = pages();
        // Answers wait until the place is known: what moves afterwards moved by the page.
        let answer = () => {};
        const held = new Promise<void>((resolve) => {
            answer = resolve;
        });
        await page.route("**/events?before_index=*", async (route) => {
            await held;
            await route.continue();
        });
        const before = await sizeOf(timeline);
        await timeline.evaluate((place) => {
            // Up to where older events are asked for, in one step as a wheel or a key takes it.
            place.scrollTop = 200;
        });
        await expect.poll(pages).toBe(asked + 1);
        const watched = await rowInTheMiddle(page);
        answer();
        await expect.poll(() => sizeOf(timeline)).toBeGreaterThanOrEqual(before + PAGE);
        const settled = await rowInTheMiddle(page);
        await page.unrouteAll({ behavior: "wait" });

        expect(settled.id, `round ${round}`).toBe(watched.id);
        expect(Math.abs(settled.top - watched.top), `round ${round}`).toBeLessThan(2);
        expect(pages(), `round ${round}`).toBe(asked + 1);
        expect(await timeline.getByRole("listitem").count()).toBeLessThan(60);
    }
});

test("AReaderAboveTheEndIsNotMovedByNews", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "News");
    await fillRoom(
        aiko,
        room,
        Array.from({ length: 60 }, (_, at) => `line ${at}`),
    );
    const { page } = aiko;
    const timeline = page.getByTestId("timeline");
    await expect(page.getByText("line 59", { exact: true })).toBeVisible();
    await timeline.hover();
    await page.mouse.wheel(0, -600);
    await expect(page.getByRole("button", { name: "Jump to newest" })).toBeVisible();
    await settled(page);
    const before = await timeline.evaluate((place) => place.scrollTop);
    for (let at = 0; at < 5; at += 1) {
        await post(ben, server.url, `rooms/${room}/events`, {
            content: { type: "text", body: `news ${at}` },
        });
    }
    await expect(page.getByRole("button", { name: "Jump to newest (5)" })).toBeVisible();
    expect(await timeline.evaluate((place) => place.scrollTop)).toBe(before);
    await page.getByRole("button", { name: "Jump to newest (5)" }).click();
    await expect(page.getByText("news 4")).toBeVisible();
});

test("WhoReadsTheEndGoesOnReadingItWhileTheFieldGrows", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "Growing");
    await fillRoom(aiko, room, ["a long list", ...Array.from({ length: 40 }, (_, at) => `${at}`)]);
    const { page } = aiko;
    const last = page.locator('[data-event-index="40"]');
    await expect(last).toBeInViewport();
    await settled(page);
    await composerOf(page).fill("one\ntwo\nthree\nfour\nfive");
    await expect(last).toBeInViewport({ ratio: 1 });
    await page.setViewportSize({ width: 1280, height: 420 });
    await expect(last).toBeInViewport({ ratio: 1 });
    await composerOf(page).fill("");
});

test("WhatIsUnreadFarBackIsAWayAndNotALoad", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Long absence");
    await bringIn(aiko, server.url, room, ben);
    const bodies = Array.from({ length: 1_300 }, (_, at) => `missed ${at}`);
    await fillRoom(aiko, room, bodies);
    const pages = countPages(ben.page);
    await enterRoom(ben, server.url, room);
    await expect(ben.page.getByText("missed 1299", { exact: true })).toBeInViewport();
    await settled(ben.page);
    expect(pages()).toBe(0);
    await ben.page.getByRole("button", { name: "First unread" }).click();
    await expect(ben.page.getByRole("heading", { name: "1,300 new messages" })).toBeInViewport();
    await expect(ben.page.getByText("missed 0", { exact: true })).toBeInViewport();
    await ben.page.getByRole("button", { name: "Jump to newest" }).click();
    await expect(ben.page.getByText("missed 1299", { exact: true })).toBeInViewport();
});

test("ALinkLeadsToItsMessageAlsoInTheOpenRoom", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "Links");
    await fillRoom(
        aiko,
        room,
        Array.from({ length: 900 }, (_, at) => `item ${at}`),
    );
    const { page } = aiko;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const row = page.locator('[data-event-index="890"]');
    await row.hover();
    await row.getByRole("button", { name: "Actions for this message" }).click();
    await page.getByRole("menuitem", { name: "Copy link" }).click();
    await expect(page.getByRole("status").getByText("Copied")).toBeVisible();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toBe(`${server.url}/rooms/${room}?at=890`);

    // Without loading the page anew: as a link within it does.
    await page.evaluate((to) => {
        history.pushState(null, "", to);
        dispatchEvent(new PopStateEvent("popstate"));
    }, `/rooms/${room}?at=20`);
    await expect(page.locator('[data-event-index="20"][data-linked]')).toBeInViewport();
    await expect(page.getByRole("button", { name: "Jump to newest" })).toBeVisible();
});

test("AWindowOfFewRowsIsFilledByItself", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "Edited often");
    await fillRoom(
        aiko,
        room,
        Array.from({ length: 40 }, (_, at) => `old ${at}`),
    );
    await say(aiko.page, "edited often");
    await expect(aiko.page.locator('[data-event-index="40"]')).toBeVisible();
    const target = (await eventsOf(aiko, server.url, room)).at(-1);
    // Edits have no rows: the newest page of events is made of nothing else.
    for (let at = 0; at < 70; at += 1) {
        await patch(aiko, server.url, `rooms/${room}/events/${target?.id}`, {
            content: { type: "text", body: `edited ${at}` },
        });
    }
    const pages = countPages(aiko.page);
    await aiko.page.reload();
    await expect(aiko.page.getByText("edited 69")).toBeInViewport();
    await expect(aiko.page.getByText("old 39")).toBeInViewport();
    expect(pages()).toBe(1);
});

test.describe("when older messages can't be had", () => {
    test.use({ allowed: /Failed to load resource/ });

    test("ItSaysSoAndAsksAgainByHand", async ({ server, aiko }) => {
        const room = await newRoom(aiko, server.url, "Refused pages");
        await fillRoom(
            aiko,
            room,
            Array.from({ length: 200 }, (_, at) => `page ${at}`),
        );
        const { page } = aiko;
        await page.reload();
        await expect(page.getByText("page 199", { exact: true })).toBeInViewport();
        await settled(page);
        const pages = countPages(page);
        await page.route("**/events?before_index=*", (route) => route.fulfill({ status: 502 }));
        const timeline = page.getByTestId("timeline");
        await timeline.evaluate((place) => place.scrollTo({ top: 0 }));
        await expect(page.getByRole("alert")).toContainText("can't be reached");
        await settled(page);
        expect(pages()).toBe(1);
        await page.unroute("**/events?before_index=*");
        await page.getByRole("button", { name: "Retry" }).click();
        await expect(page.getByRole("alert")).toHaveCount(0);
        await expect.poll(() => sizeOf(timeline)).toBeGreaterThan(100);
    });
});
