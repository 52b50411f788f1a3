// SPDX-License-Identifier: Apache-2.0
// What a message says, as text: the words of every kind of content that people write or receive.
import type { Content } from "../../api/model";

/** The Markdown that is shown; undefined when this kind of content has no words of its own. */
export function wordsOf(content: Content): string | undefined {
    switch (content.type) {
        case "text":
        case "system":
            return content.body;
        case "template":
            return content.body ?? "";
        case "rich":
            // HTML is never shown as such: a rich message also says what it says in plain words.
            return content.format === "markdown"
                ? content.body
                : content.plain_text || content.body;
        case "media":
            return content.caption || content.filename || content.url;
        case "audio":
            return content.transcript || content.url;
        case "video":
            return content.url;
        case "location":
            return `${content.label ?? ""} ${content.latitude}, ${content.longitude}`.trim();
        case "composite":
            return content.parts.map((part) => wordsOf(part) ?? "").join("\n\n");
        default:
            return undefined;
    }
}

const EXCERPT_LENGTH = 90;

/** The beginning of a message, on one line. */
export function excerptOf(content: Content): string {
    const line = (wordsOf(content) ?? "")
        .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
        .replace(/^[>#\s]+|[*~`]+/gm, "")
        .replace(/\s+/g, " ")
        .trim();
    const letters = [...line];
    return letters.length > EXCERPT_LENGTH ? `${letters.slice(0, EXCERPT_LENGTH).join("")}…` : line;
}
