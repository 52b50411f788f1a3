// SPDX-License-Identifier: Apache-2.0
// How the page is built: hashed files, a manifest for the budget, no source maps.
import optimizeLocales from "@react-aria/optimize-locales-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const server = process.env.CONVENE_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
    plugins: [
        react(),
        // React Aria brings its own words in thirty languages; the page speaks two.
        { ...optimizeLocales.vite({ locales: ["en-US", "ja-JP"] }), enforce: "pre" },
    ],
    build: {
        manifest: true,
        sourcemap: false,
        assetsInlineLimit: 0,
        // Every browser that runs the rest knows how to preload.
        modulePreload: { polyfill: false },
    },
    server: {
        host: "127.0.0.1",
        proxy: { "/api": { target: server, ws: true } },
    },
});
