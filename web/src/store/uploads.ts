// SPDX-License-Identifier: Apache-2.0
// The files of messages that are being written: uploaded one after the other, kept until the message is sent.
import type { Attachment, MediaContent } from "../api/model";
import { type Problem, problemOf } from "../api/problem";
import type { UploadRequest } from "../api/upload";
import { Observable, type Readable } from "./observable";

export interface Upload {
    /** The idempotency key: uploading it again makes no second file. */
    readonly key: string;
    readonly roomId: string;
    readonly thread: string;
    readonly name: string;
    readonly size: number;
    readonly sent: number;
    /** `refused` waits for the person: to try again, or to give it up. */
    readonly state: "waiting" | "sending" | "stored" | "refused";
    /** Absent in what came back from a message that could not be sent. */
    readonly file?: File;
    /** How the message will name it; there when it is stored. */
    readonly media?: MediaContent;
    readonly problem?: Problem;
}

export interface UploadsOptions {
    send: (request: UploadRequest) => Promise<Attachment>;
    /** Asked to remove what was stored and is not wanted. */
    discard: (attachmentId: string) => Promise<unknown>;
    newKey?: () => string;
}

export const FILES_OF_MESSAGE = 10;

function mediaOf({ url, mime_type, filename, size_bytes }: Attachment): MediaContent {
    return { type: "media", url, mime_type, filename, size_bytes };
}

export class Uploads {
    private readonly options: UploadsOptions;
    private readonly state = new Observable<readonly Upload[]>([]);
    private running: { key: string; abort: AbortController } | undefined;
    private isStopped = false;

    constructor(options: UploadsOptions) {
        this.options = options;
    }

    get entries(): Readable<readonly Upload[]> {
        return this.state;
    }

    /** Takes as many as a message may have; answers how many that leaves out. */
    add(roomId: string, thread: string, files: readonly File[]): number {
        const room = FILES_OF_MESSAGE - this.of(roomId, thread).length;
        const taken = files.slice(0, Math.max(0, room));
        this.put(
            taken.map((file) => ({
                ...this.begin(roomId, thread, file.name, file.size),
                state: "waiting",
                file,
            })),
        );
        void this.pump();
        return files.length - taken.length;
    }

    retry(key: string): void {
        this.change(key, { state: "waiting", problem: undefined });
        void this.pump();
    }

    remove(key: string): void {
        const media = this.state.get().find((upload) => upload.key === key)?.media;
        this.state.update((uploads) => uploads.filter((upload) => upload.key !== key));
        if (this.running?.key === key) {
            this.running.abort.abort();
        }
        if (media) {
            this.discard(media.url.slice(media.url.indexOf(":") + 1));
        }
    }

    /** The files of a message that is sent now; undefined, and nothing is taken, while one is not stored. */
    take(roomId: string, thread: string): readonly MediaContent[] | undefined {
        const mine = this.of(roomId, thread);
        const media = mine.flatMap((upload) => upload.media ?? []);
        if (media.length < mine.length) {
            return undefined;
        }
        this.state.update((uploads) => uploads.filter((upload) => !mine.includes(upload)));
        return media;
    }

    /** The files of a message that could not be sent and is written anew. */
    putBack(roomId: string, thread: string, files: readonly MediaContent[]): void {
        this.put(
            files.map((media) => ({
                ...this.begin(roomId, thread, media.filename ?? "", media.size_bytes ?? 0),
                state: "stored",
                media,
            })),
        );
    }

    stop(): void {
        this.isStopped = true;
        this.running?.abort.abort();
    }

    private of(roomId: string, thread: string): Upload[] {
        return this.state
            .get()
            .filter((upload) => upload.roomId === roomId && upload.thread === thread);
    }

    private begin(roomId: string, thread: string, name: string, size: number) {
        const key = (this.options.newKey ?? (() => crypto.randomUUID()))();
        return { key, roomId, thread, name, size, sent: 0 };
    }

    private put(added: readonly Upload[]): void {
        this.state.update((uploads) => [...uploads, ...added]);
    }

    /** One at a time: each is held in the server's memory, and a browser has few connections to it. */
    private async pump(): Promise<void> {
        while (this.running === undefined && !this.isStopped) {
            const next = this.state.get().find((upload) => upload.state === "waiting");
            if (!next?.file) {
                return;
            }
            const abort = new AbortController();
            this.running = { key: next.key, abort };
            await this.sendOne(next, next.file, abort.signal);
            this.running = undefined;
        }
    }

    private async sendOne(upload: Upload, file: File, signal: AbortSignal): Promise<void> {
        const { key, roomId } = upload;
        this.change(key, { state: "sending", sent: 0 });
        try {
            const onSent = (sent: number) => this.change(key, { sent });
            const stored = await this.options.send({ roomId, file, key, onSent, signal });
            const isWanted = this.change(key, { state: "stored", media: mediaOf(stored) });
            if (!isWanted) {
                this.discard(stored.id);
            }
        } catch (thrown) {
            this.change(key, { state: "refused", problem: problemOf(thrown) });
        }
    }

    /** Not awaited: the server removes what no message names after a day. */
    private discard(attachmentId: string): void {
        void this.options.discard(attachmentId).catch(() => undefined);
    }

    /** Whether it is still there to be changed. */
    private change(key: string, change: Partial<Upload>): boolean {
        this.state.update((uploads) =>
            uploads.map((upload) => (upload.key === key ? { ...upload, ...change } : upload)),
        );
        return this.state.get().some((upload) => upload.key === key);
    }
}
