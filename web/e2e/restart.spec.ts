// SPDX-License-Identifier: Apache-2.0
// The server is killed under the people: they go on without a reload, nothing is lost or doubled.
import { enterRoom, expect, newRoom, post, say, shownTexts, test } from "./check";

// What a browser says itself when nobody answers it.
test.use({ allowed: /WebSocket connection to .* failed|net::ERR_|Failed to load resource/ });

test("BothGoOnAfterTheServerWasKilled", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Restart");
    await enterRoom(ben, server.url, room);
    await say(aiko.page, "before");
    await expect(ben.page.getByText("before")).toBeVisible();

    await server.kill();
    await say(aiko.page, "while it was away");
    await expect(aiko.page.getByText("Kept, sent on reconnecting")).toBeVisible();
    await expect(aiko.page.getByTestId("stale-bar")).toBeVisible();
    await server.start();

    await expect(ben.page.getByText("while it was away")).toBeVisible({ timeout: 40_000 });
    await expect(aiko.page.getByTestId("stale-bar")).toHaveCount(0);
    await expect(ben.page.getByTestId("stale-bar")).toHaveCount(0);
    await say(ben.page, "after");
    await expect(aiko.page.getByText("after")).toBeVisible();
    const texts = [...(await shownTexts(aiko.page)).values()];
    for (const text of ["before", "while it was away", "after"]) {
        expect(texts.filter((shown) => shown === text)).toHaveLength(1);
    }
});

test("AMessageWrittenWhileCutSurvivesAReload", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "Reload");
    await server.kill();
    await say(aiko.page, "written in the dark");
    await expect(aiko.page.getByText("Kept, sent on reconnecting")).toBeVisible();
    await server.start();
    await enterRoom(aiko, server.url, room);
    await expect(aiko.page.locator("[data-pending]")).toHaveCount(0);
    await expect(aiko.page.getByText("written in the dark")).toHaveCount(1);
    await aiko.page.reload();
    await expect(aiko.page.getByText("written in the dark")).toHaveCount(1);
});

test("OneKeyIsOneEvent", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "Keys");
    const event = { content: { type: "text", body: "only once" }, idempotency_key: "k-1" };
    await post(aiko, server.url, `rooms/${room}/events`, event);
    await post(aiko, server.url, `rooms/${room}/events`, event);
    await expect(aiko.page.getByText("only once")).toHaveCount(1);
});
