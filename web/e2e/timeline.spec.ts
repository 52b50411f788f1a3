// SPDX-License-Identifier: Apache-2.0
// Reading far back: nothing moves what is being read, and only what is visible is in the document.
import { enterRoom, expect, fillRoom, newRoom, post, test } from "./check";

/** Enough for the first page, one older for each round, and a rest. */
const EVENTS = 700;
const ROUNDS = 5;

// Known to fail: one step up loads several pages at once, until there are none left to move anything.
test.fixme("OlderPagesDoNotMoveWhatIsRead", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "Archive");
    await aiko.page.goto(`${server.url}/rooms`);
    const bodies = Array.from(
        { length: EVENTS },
        (_, at) => `entry ${at} ${"and some more words ".repeat(at % 13)}`,
    );
    await fillRoom(aiko, room, bodies);
    await enterRoom(aiko, server.url, room);
    const { page } = aiko;
    const timeline = page.getByTestId("timeline");
    await expect(timeline.locator("[data-event-index]").first()).toBeVisible();

    for (let round = 0; round < ROUNDS; round += 1) {
        const before = await timeline.evaluate((place) => {
            // Up to where older events are asked for, in one step as a wheel or a key takes it.
            place.scrollTop = 200;
            return place.scrollHeight;
        });
        const watched = await timeline.evaluate(async (place) => {
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const middle = place.getBoundingClientRect().top + place.clientHeight / 2;
            const row = [...place.querySelectorAll<HTMLElement>("[data-event-id]")].find(
                (each) => each.getBoundingClientRect().bottom > middle,
            );
            return { id: row?.dataset.eventId, top: row?.getBoundingClientRect().top ?? 0 };
        });
        await expect
            .poll(() => timeline.evaluate((place) => place.scrollHeight))
            .toBeGreaterThan(before + 1_000);
        await page.waitForTimeout(300);
        const top = await timeline.evaluate(
            (place, id) =>
                place.querySelector(`[data-event-id="${id}"]`)?.getBoundingClientRect().top ?? 0,
            watched.id,
        );
        expect(Math.abs(top - watched.top), `round ${round}`).toBeLessThan(2);
        expect(await timeline.locator("[role=listitem]").count()).toBeLessThan(60);
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
