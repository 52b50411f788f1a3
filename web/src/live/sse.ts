// SPDX-License-Identifier: Apache-2.0
// Takes a stream of server-sent events apart into frames. One that was cut in the middle is not shown.

export interface SseFrame {
    readonly id: string;
    readonly event: string;
    readonly data: string;
    /** How long the server wants a reader to wait before it comes back. */
    readonly retryMs: number | undefined;
}

function frameOf(lines: readonly string[]): SseFrame {
    let id = "";
    let event = "";
    let retryMs: number | undefined;
    const data: string[] = [];
    for (const line of lines) {
        const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
        if (name === "id") {
            id = value;
        } else if (name === "event") {
            event = value;
        } else if (name === "data") {
            data.push(value);
        } else if (name === "retry" && /^\d+$/.test(value)) {
            retryMs = Number(value);
        }
    }
    return { id, event, data: data.join("\n"), retryMs };
}

/** Collects pieces of text and gives back the frames that are complete. */
export class SseReader {
    private rest = "";

    /** A comment is a frame without anything in it: a sign of life. */
    read(piece: string): SseFrame[] {
        const blocks = (this.rest + piece).split(/\r?\n\r?\n/);
        this.rest = blocks.pop() ?? "";
        return blocks.map((block) => frameOf(block.split(/\r?\n/)));
    }
}
