// SPDX-License-Identifier: Apache-2.0
// End-to-end checks: a real server, a real browser, one after the other.
import { defineConfig } from "@playwright/test";

export default defineConfig({
    testDir: "e2e",
    workers: 1,
    fullyParallel: false,
    forbidOnly: process.env.CI !== undefined,
    // A browser on a machine that others starve can miss a key; a check that needed its second try is listed as flaky.
    retries: process.env.CI === undefined ? 0 : 1,
    timeout: 90_000,
    expect: { timeout: 10_000 },
    reporter: "list",
    use: {
        // Below the time of a test, so that what was not found is named.
        actionTimeout: 30_000,
        navigationTimeout: 30_000,
        viewport: { width: 1280, height: 800 },
        locale: "en-US",
        launchOptions: {
            executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
            // Without the sandbox, because containers run everything as root.
            args: ["--no-sandbox"],
        },
    },
});
