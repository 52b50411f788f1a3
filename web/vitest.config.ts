// SPDX-License-Identifier: Apache-2.0
// Unit tests run in plain Node: what they test has no React and no browser in it.
import { defineConfig } from "vitest/config";

export default defineConfig({
    test: { include: ["tests/**/*.test.ts"], environment: "node" },
});
