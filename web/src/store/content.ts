// SPDX-License-Identifier: Apache-2.0
// What a message says: the words of every kind of content, the files it names, and how a message is put together.
import type { Content, MediaContent } from "../api/model";
import { withoutTurns } from "./exactText";

/** A file of the room, as far as a message describes it. */
export interface MessageFile {
    readonly url: string;
    readonly mime_type: string;
    readonly filename?: string;
    readonly size_bytes?: number;
}

const ATTACHMENT = "attachment:";

function isAttachment({ url }: { url: string }): boolean {
    return url.startsWith(ATTACHMENT);
}

/** Where the server has the file that a message names. */
export function addressOf(file: MessageFile): string {
    return `/api/v1/attachments/${encodeURIComponent(file.url.slice(ATTACHMENT.length))}`;
}

/** Marks that turn the direction of text would make another name of it: `gpj.exe` of `exe.jpg`. */
export function nameOf(file: MessageFile): string {
    return withoutTurns(file.filename ?? "").trim() || file.mime_type;
}

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
/** What is said to be larger is loaded by those who ask for it. */
const SHOWN_BYTES = 10_000_000;

/** Whether a file is shown as an image; all others are links. */
export function isShownAsImage(file: MessageFile): boolean {
    return IMAGES.has(file.mime_type) && (file.size_bytes ?? 0) <= SHOWN_BYTES;
}

/** The files of the room that a message names, in their order. */
export function filesOf(content: Content): MessageFile[] {
    switch (content.type) {
        case "media":
        case "audio":
        case "video":
            return isAttachment(content) ? [content] : [];
        case "composite":
            return content.parts.flatMap(filesOf);
        default:
            return [];
    }
}

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
            return (
                content.caption || (isAttachment(content) ? "" : content.filename || content.url)
            );
        case "audio":
            return content.transcript || (isAttachment(content) ? "" : content.url);
        case "video":
            return isAttachment(content) ? "" : content.url;
        case "location":
            return `${content.label ?? ""} ${content.latitude}, ${content.longitude}`.trim();
        case "composite":
            return content.parts
                .map((part) => wordsOf(part) ?? "")
                .filter((words) => words !== "")
                .join("\n\n");
        default:
            return undefined;
    }
}

/** The words of a message; of one that has none, the names of its files. */
export function plainOf(content: Content): string {
    return wordsOf(content) || filesOf(content).map(nameOf).join(", ");
}

const EXCERPT_LENGTH = 90;

/** The beginning of a message, on one line. */
export function excerptOf(content: Content): string {
    const line = plainOf(content)
        .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
        .replace(/^[>#\s]+|[*~`]+/gm, "")
        .replace(/\s+/g, " ")
        .trim();
    const letters = [...line];
    return letters.length > EXCERPT_LENGTH ? `${letters.slice(0, EXCERPT_LENGTH).join("")}…` : line;
}

/** What a person writes: a text, files, or both. */
export interface Written {
    readonly body: string;
    readonly files: readonly MediaContent[];
}

export function contentOf({ body, files }: Written): Content {
    const [first] = files;
    if (first === undefined) {
        return { type: "text", body };
    }
    if (body !== "") {
        return { type: "composite", parts: [{ type: "text", body }, ...files] };
    }
    return files.length === 1 ? first : { type: "composite", parts: [...files] };
}

/** Takes apart what `contentOf` puts together; undefined for what was made in another way. */
export function writtenIn(content: Content): Written | undefined {
    const parts = content.type === "composite" ? content.parts : [content];
    const [first] = parts;
    const body = first?.type === "text" ? first.body : "";
    const files: MediaContent[] = [];
    for (const part of first?.type === "text" ? parts.slice(1) : parts) {
        if (part.type !== "media" || !isAttachment(part) || part.caption) {
            return undefined;
        }
        files.push(part);
    }
    return { body, files };
}
