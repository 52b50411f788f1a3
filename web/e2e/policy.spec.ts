// SPDX-License-Identifier: Apache-2.0
// The strict policy stands, and no page offends it: every message of the console fails a check.
import { readFileSync } from "node:fs";
import { expect, newRoom, say, test } from "./check";

const HOSTILE = [
    "<script>alert(1)</script> <img src=x onerror=alert(1)>",
    "![seen](https://example.org/pixel.png) [link](javascript:alert(1)) [data](data:text/html,x)",
    "\u202Eright to left\u202C and a lone \uFFFD",
    `${"x".repeat(200_000)}`,
];

test("EveryPageIsServedWithThePolicyAndKeepsIt", async ({ server, aiko }) => {
    const policy = readFileSync("csp.txt", "utf8").trim();
    const { page } = aiko;
    const outside: string[] = [];
    page.on("request", (request) => {
        if (!request.url().startsWith(server.url) && !request.url().startsWith("data:")) {
            outside.push(request.url());
        }
    });
    page.on("dialog", () => outside.push("a dialog"));
    const room = await newRoom(aiko, server.url, "Policy");
    for (const text of HOSTILE) {
        await say(page, text);
        await expect(page.locator("[data-pending]")).toHaveCount(0);
    }
    await expect(page.locator('[data-event-index="3"]')).toBeVisible();
    for (const path of [
        "/inbox",
        "/rooms",
        `/rooms/${room}`,
        `/rooms/${room}?panel=people`,
        "/settings",
        "/admin/users",
        "/admin/tokens",
        "/admin/secrets",
        "/admin/audit",
        "/ops",
        "/nowhere",
    ]) {
        const answer = await page.goto(server.url + path);
        expect(answer?.headers()["content-security-policy"], path).toBe(policy);
        await page.locator("h1:visible, h2:visible").first().waitFor();
    }
    expect(outside).toEqual([]);
});
