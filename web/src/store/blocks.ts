// SPDX-License-Identifier: Apache-2.0
// A Markdown text that grows, in pieces: those before the last one do not change any more.

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** What belongs to the block before it, also behind an empty line: what is indented, and the next item of a list, or what may become one. */
const GOES_ON = /^(\s|[-*+]( |$)|\d+([.)]( |$)|$))/;

/** Cuts at empty lines, where a new block surely begins. */
export function splitBlocks(text: string): string[] {
    const blocks: string[] = [];
    let block: string[] = [];
    let fence = "";
    let wasEmpty = false;
    for (const line of text.split("\n")) {
        const mark = FENCE.exec(line)?.[1] ?? "";
        if (wasEmpty && fence === "" && line.trim() !== "" && !GOES_ON.test(line)) {
            blocks.push(block.join("\n"));
            block = [];
        }
        if (fence === "") {
            fence = mark;
        } else if (mark.startsWith(fence)) {
            fence = "";
        }
        wasEmpty = line.trim() === "";
        block.push(line);
    }
    blocks.push(block.join("\n"));
    return blocks.filter((each) => each.trim() !== "");
}
