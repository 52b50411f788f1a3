// SPDX-License-Identifier: Apache-2.0
// A text that grows is cut where nothing before the cut can change any more.
import { describe, expect, it } from "vitest";
import { splitBlocks } from "../src/store/blocks";

describe("blocks", () => {
    it("BeginBehindEmptyLines", () => {
        expect(splitBlocks("one\ntwo\n\nthree\n\n\nfour")).toEqual([
            "one\ntwo\n",
            "three\n\n",
            "four",
        ]);
    });

    it("KeepCodeTogether", () => {
        const code = "```js\na\n\nb\n```";
        expect(splitBlocks(`${code}\n\nafter`)).toEqual([`${code}\n`, "after"]);
        expect(splitBlocks("```\na\n\nb")).toHaveLength(1);
    });

    it("KeepListsTogether", () => {
        expect(splitBlocks("1. one\n\n2. two\n\n   more of it")).toHaveLength(1);
        expect(splitBlocks("- one\n\n- two\n\nafter")).toHaveLength(2);
    });

    it("ChangeOnlyAtTheEndAsATextGrows", () => {
        const text = "# A\n\n- x\n\n- y\n\nwords **bold**\n\n```\ncode\n\ncode\n```\n\nend";
        let before: string[] = [];
        for (let length = 1; length <= text.length; length += 1) {
            const now = splitBlocks(text.slice(0, length));
            expect(now.slice(0, before.length - 1).map((block) => block.trim())).toEqual(
                before.slice(0, -1).map((block) => block.trim()),
            );
            before = now;
        }
    });
});
