// SPDX-License-Identifier: Apache-2.0
// Reading far back: nothing moves what is being read, and only what is visible is in the document.
import type { Locator, Page } from "@playwright/test";
import { expect, fillRoom, newRoom, post, test } from "./check";

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

/** The row in the middle, and where it is once two frames in a row show it at the same place. */
async function rowInTheMiddle(timeline: Locator): Promise<{ id: string; top: number }> {
    return timeline.evaluate(async (place) => {
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        const middle = place.getBoundingClientRect().top + place.clientHeight / 2;
        const look = () => {
            const row = [...place.querySelectorAll<HTMLElement>("[data-event-id]")].find(
                (each) => each.getBoundingClientRect().bottom > middle,
            );
            return { id: row?.dataset.eventId ?? "", top: row?.getBoundingClientRect().top ?? 0 };
        };
        let held = look();
        for (let same = 0; same < 5; ) {
            await frame();
            const next = look();
            same = next.id === held.id && next.top === held.top && next.id !== "" ? same + 1 : 0;
            held = next;
        }
        return held;
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
        await rowInTheMiddle(timeline);
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
        const watched = await rowInTheMiddle(timeline);
        answer();
        await expect.poll(() => sizeOf(timeline)).toBeGreaterThanOrEqual(before + PAGE);
        const settled = await rowInTheMiddle(timeline);
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
    await page.waitForTimeout(200);
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
