// SPDX-License-Identifier: Apache-2.0
// The server is killed under the people: they go on without a reload, nothing is lost or doubled.
import {
    bringIn,
    composerOf,
    enterRoom,
    eventsOf,
    expect,
    newRoom,
    post,
    say,
    shownTexts,
    test,
} from "./check";

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
    // The page goes while nobody can be reached: only the browser has the message now.
    await aiko.page.close();
    await server.start();
    expect(await eventsOf(aiko, server.url, room)).toEqual([]);
    aiko.page = await aiko.context.newPage();
    await enterRoom(aiko, server.url, room);
    await expect(aiko.page.locator("[data-pending]")).toHaveCount(0);
    await expect(aiko.page.getByText("written in the dark")).toHaveCount(1);
    await aiko.page.reload();
    await expect(aiko.page.getByText("written in the dark")).toHaveCount(1);
    const bodies = (await eventsOf(aiko, server.url, room)).map(({ content }) => content.body);
    expect(bodies).toEqual(["written in the dark"]);
});

test("WhatWasTakenButNotConfirmedIsSentUnderItsKeyAndStaysOneEvent", async ({ server, aiko }) => {
    // The first send reaches the server, its answer is lost with the connection.
    const keys: string[] = [];
    await aiko.page.routeWebSocket("**/api/v1/ws", (page) => {
        const behind = page.connectToServer();
        page.onMessage((text) => {
            const frame = JSON.parse(String(text));
            if (frame.type === "send") {
                keys.push(frame.event.idempotency_key);
            }
            behind.send(text);
        });
        behind.onMessage((text) => {
            const { type } = JSON.parse(String(text));
            if (keys.length === 1 && (type === "sent" || type === "event")) {
                void page.close();
                void behind.close();
            } else {
                page.send(text);
            }
        });
    });
    const room = await newRoom(aiko, server.url, "Doubt");
    await say(aiko.page, "only once");
    await expect.poll(() => keys.length).toBe(2);
    expect(keys[1]).toBe(keys[0]);
    await expect(aiko.page.locator("[data-pending]")).toHaveCount(0);
    await expect(aiko.page.getByText("only once")).toHaveCount(1);
    const events = await eventsOf(aiko, server.url, room);
    expect(events.map((event) => event.idempotency_key)).toEqual([keys[0]]);
});

test("ARefusedMessageStaysWithItsTextAndIsSentByRetry", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Refusal");
    await bringIn(aiko, server.url, room, ben);
    // The room closes between the Enter and the server: whoever writes could not know.
    let isClosing = true;
    await ben.page.routeWebSocket("**/api/v1/ws", (page) => {
        const behind = page.connectToServer();
        page.onMessage(async (text) => {
            if (isClosing && JSON.parse(String(text)).type === "send") {
                isClosing = false;
                await post(aiko, server.url, `rooms/${room}/close`, {});
            }
            behind.send(text);
        });
    });
    await enterRoom(ben, server.url, room);
    await say(ben.page, "too late");
    const refused = ben.page.locator('[data-pending="refused"]');
    await expect(refused).toContainText("too late");
    await expect(refused).toContainText("The room is closed.");
    await ben.page.reload();
    await expect(refused).toContainText("too late");
    expect(await eventsOf(aiko, server.url, room)).toEqual([]);

    await post(aiko, server.url, `rooms/${room}/reopen`, {});
    await refused.getByRole("button", { name: "Retry" }).click();
    await expect(ben.page.locator("[data-pending]")).toHaveCount(0);
    const bodies = (await eventsOf(aiko, server.url, room)).map(({ content }) => content.body);
    expect(bodies).toEqual(["too late"]);
});

test("ARefusedMessageCanBeTakenBackIntoTheField", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "Too long");
    const { page } = aiko;
    await say(page, "x".repeat(300_000));
    await expect(page.locator('[data-pending="refused"]')).toBeVisible();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await expect(page.locator("[data-pending]")).toHaveCount(0);
    await composerOf(page).fill("shorter");
    await composerOf(page).press("Enter");
    await expect(page.getByText("shorter")).toBeVisible();
    await expect.poll(async () => (await eventsOf(aiko, server.url, room)).length).toBe(1);
});
