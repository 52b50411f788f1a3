// SPDX-License-Identifier: Apache-2.0
// Holds the built page to its weight: what each page loads, compressed, from the manifest of the build.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** `part`: a page with what comes after its first view. */
const LIMITS_KB = { shell: 130, page: 300, part: 310, css: 20 };
const manifest = JSON.parse(readFileSync("dist/.vite/manifest.json", "utf8"));
const size = (file) => gzipSync(readFileSync(`dist/${file}`)).length / 1000;
const sum = (files) => [...files].reduce((total, file) => total + size(file), 0);

/** Everything that comes with a chunk: itself and what it imports. */
function closure(key, seen = new Set()) {
    if (!seen.has(key)) {
        seen.add(key);
        for (const next of manifest[key].imports ?? []) {
            closure(next, seen);
        }
    }
    return seen;
}

const scripts = (keys) => new Set([...keys].map((key) => manifest[key].file));
const around = [...closure("index.html"), ...closure("src/i18n/en.json")];
const frame = [...around, ...closure("src/pages/shell/Shell.tsx")];
const pages = Object.keys(manifest).filter((key) => /Page\.tsx$/.test(key));
const stylesOf = (keys) => new Set([...keys].flatMap((key) => manifest[key].css ?? []));
/** What a page loads besides, where it has something to show for it. */
const parts = [
    [
        "a room with an agent",
        ["src/pages/room/RoomPage.tsx", "src/pages/room/AgentRow.tsx", "src/store/agentSession.ts"],
    ],
];
const rows = [
    ["shell", sum(scripts(around)), LIMITS_KB.shell],
    ...pages.map((key) => {
        const base = key.includes("login")
            ? around
            : [...frame, ...closure("src/pages/rooms/RoomsPage.tsx")];
        const area = /workflows|executions/.test(key) ? "work" : "operate";
        const hasOwn = /workflows|executions|ops|admin/.test(key);
        const words = hasOwn ? closure(`src/i18n/${area}/en.json`) : [];
        return [key, sum(scripts(new Set([...base, ...words, ...closure(key)]))), LIMITS_KB.page];
    }),
    ...parts.map(([name, keys]) => {
        const chunks = [
            ...frame,
            ...["src/pages/rooms/RoomsPage.tsx", ...keys].flatMap((key) => [...closure(key)]),
        ];
        return [name, sum(scripts(new Set(chunks))), LIMITS_KB.part];
    }),
    ...pages.map((key) => [
        `${key}: styles`,
        sum(stylesOf([...frame, ...closure("src/pages/rooms/RoomsPage.tsx"), ...closure(key)])),
        LIMITS_KB.css,
    ]),
];
for (const [name, weight, limit] of rows) {
    console.log(
        `${weight > limit ? "OVER" : "  ok"} ${weight.toFixed(1).padStart(7)} / ${limit} kB  ${name}`,
    );
}
process.exit(rows.some(([, weight, limit]) => weight > limit) ? 1 : 0);
