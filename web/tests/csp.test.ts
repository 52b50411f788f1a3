// SPDX-License-Identifier: Apache-2.0
// The policy allows exactly one style that is not a file of ours: React Aria's constant touch rule.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const policy = readFileSync("csp.txt", "utf8").trim();

it("TheHashIsThatOfReactAriasRule", () => {
    const from = createRequire(import.meta.url);
    const aria = createRequire(from.resolve("react-aria-components"));
    const source = readFileSync(
        join(
            dirname(aria.resolve("react-aria/package.json")),
            "dist/private/interactions/usePress.mjs",
        ),
        "utf8",
    );
    const attribute = /PRESSABLE_ATTRIBUTE = '([\w-]+)'/.exec(source)?.[1] ?? "";
    const rule = (/style\.textContent = `([^`]+)`\.trim\(\)/.exec(source)?.[1] ?? "")
        .replace(/\$\{[^}]+\}/, attribute)
        .trim();
    const hash = createHash("sha256").update(rule).digest("base64");
    expect(policy).toContain(`style-src 'self' 'sha256-${hash}';`);
});

it("NothingElseIsAllowedInline", () => {
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy.match(/sha256/g)).toHaveLength(1);
});
