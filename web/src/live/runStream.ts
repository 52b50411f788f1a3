// SPDX-License-Identifier: Apache-2.0
// Reads a run to its end. A stream that stops before the run's last event was cut, and is read on where it stopped.
import { Problem, problemFromAnswer } from "../api/problem";
import { backoff } from "./backoff";
import { type SseFrame, SseReader } from "./sse";

/** An event of AG-UI: what is not known of it is left aside by whoever reads it. */
export type RunEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface RunFrame {
    /** `{run}-{number}`, of which none comes twice. */
    readonly id: string;
    readonly event: RunEvent;
}

/**
 * `ended`: with the run's last event. `seen`: the server has nothing more. `reload`: the frames are gone, what was said is in
 * the room. `closed`: by the page.
 */
export type StreamEnd = "ended" | "seen" | "reload" | "closed";

export interface RunStreamOptions {
    /** The answer to the request that started the run: it is read before anything is asked for. */
    first?: Response;
    /** Asks for what follows a frame. */
    open: (after: string | undefined, signal: AbortSignal) => Promise<Response>;
    onFrame: (frame: RunFrame) => void;
    random?: () => number;
}

/** The server is never silent for longer than 15 s. */
const SILENCE_MS = 35_000;

const LAST_EVENTS = new Set(["RUN_FINISHED", "RUN_ERROR"]);

export function endsRun(event: RunEvent): boolean {
    return LAST_EVENTS.has(event.type);
}

function eventOf(frame: SseFrame): RunEvent | undefined {
    try {
        const event: unknown = JSON.parse(frame.data);
        return typeof event === "object" && event !== null && "type" in event
            ? (event as RunEvent)
            : undefined;
    } catch {
        // What can't be read is passed over like an event that is not known.
        return undefined;
    }
}

export class RunStream {
    private readonly options: RunStreamOptions;
    private isClosed = false;
    private last: string | undefined;
    private retryMs: number | undefined;
    private connection = new AbortController();
    private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    private endPause: (() => void) | undefined;

    constructor(options: RunStreamOptions) {
        this.options = options;
    }

    /** Ends with a Problem where the server refuses to show the run. */
    async read(): Promise<StreamEnd> {
        let answer = this.options.first;
        for (let attempt = 0; !this.isClosed; attempt += 1) {
            const before = this.last;
            try {
                answer ??= await this.ask();
                const end = await this.take(answer);
                if (end) {
                    return end;
                }
            } catch (thrown) {
                const isFinal = thrown instanceof Problem && !thrown.retryable;
                if (isFinal && !this.isClosed) {
                    throw thrown;
                }
            }
            answer = undefined;
            if (this.last !== before) {
                attempt = 0;
            }
            await this.pause(attempt);
        }
        return "closed";
    }

    close(): void {
        this.isClosed = true;
        this.connection.abort();
        this.dropReader();
        this.endPause?.();
    }

    /** The network is back or somebody looks at the page: no reason to wait any longer. */
    wake(): void {
        this.endPause?.();
    }

    private ask(): Promise<Response> {
        this.connection = new AbortController();
        return this.options.open(this.last, this.connection.signal);
    }

    /** Undefined: it was cut. */
    private async take(answer: Response): Promise<StreamEnd | undefined> {
        if (answer.status === 204) {
            return "seen";
        }
        if (answer.status === 404) {
            return "reload";
        }
        if (!answer.ok) {
            throw problemFromAnswer(answer.status, await answer.json().catch(() => undefined));
        }
        this.reader = answer.body?.getReader();
        const frames = new SseReader();
        const decoder = new TextDecoder();
        try {
            for (;;) {
                const value = await this.hear();
                if (value === undefined || this.isClosed) {
                    return undefined;
                }
                for (const frame of frames.read(decoder.decode(value, { stream: true }))) {
                    const end = this.receive(frame);
                    if (end) {
                        return end;
                    }
                }
            }
        } finally {
            this.dropReader();
        }
    }

    private dropReader(): void {
        // It may have ended by itself, or be broken: nothing more of it is wanted either way.
        void this.reader?.cancel().catch(() => undefined);
        this.reader = undefined;
    }

    /** Undefined: it ended, or is silent for longer than a connection that lives can be. */
    private async hear(): Promise<Uint8Array | undefined> {
        let timer: ReturnType<typeof setTimeout> | undefined;
        const silence = new Promise<undefined>((resolve) => {
            timer = setTimeout(() => resolve(undefined), SILENCE_MS);
        });
        try {
            const read = this.reader?.read().then(({ value }) => value);
            return await Promise.race([read, silence]);
        } finally {
            clearTimeout(timer);
        }
    }

    private receive(frame: SseFrame): StreamEnd | undefined {
        this.retryMs = frame.retryMs ?? this.retryMs;
        if (frame.event === "resync") {
            return "reload";
        }
        const event = frame.id === "" ? undefined : eventOf(frame);
        if (!event) {
            return undefined;
        }
        this.last = frame.id;
        this.options.onFrame({ id: frame.id, event });
        return endsRun(event) ? "ended" : undefined;
    }

    /** The server's own wish counts once: after that it may not be there to be asked. */
    private async pause(attempt: number): Promise<void> {
        if (this.isClosed) {
            return;
        }
        const jitter = backoff(attempt, this.options.random ?? Math.random);
        const delay = attempt === 0 ? (this.retryMs ?? jitter) : jitter;
        let timer: ReturnType<typeof setTimeout> | undefined;
        await new Promise<void>((resolve) => {
            this.endPause = resolve;
            timer = setTimeout(resolve, delay);
        });
        clearTimeout(timer);
        this.endPause = undefined;
    }
}
