// SPDX-License-Identifier: Apache-2.0
// Starts and stops the real server. How it is called, and what it prints, is known here only.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the pages of a check talk to. */
export interface Deployment {
    /** Stays the same over `kill` and `start`. */
    readonly url: string;
    /** Good once: logs in the first administrator. */
    readonly link: string;
    start(): Promise<void>;
    /** As a crash does: no farewell, nothing put in order. */
    kill(): Promise<void>;
    /** For good. */
    stop(): Promise<void>;
}

export interface Started {
    url: string;
    /** Printed at the first start of a database. */
    link: string;
}

/** What the server printed so far, once it tells where it listens; undefined until then. */
function readStart(output: string, isFirst: boolean): Started | undefined {
    const url = /https?:\/\/[\w.[\]:]+:\d+/.exec(output)?.[0];
    const link = /https?:\/\/\S+#link=[\w.~-]+/.exec(output)?.[0] ?? "";
    return url !== undefined && (link !== "" || !isFirst) ? { url, link } : undefined;
}

const START_MS = 20_000;

/** Small, so that checks reach these limits with little; a room holds no second file of the largest size. */
export const FILE_BYTES = { file: 1_000_000, room: 1_500_000 };

const LIMITS = {
    // Checks are quicker than people.
    CONVENE_RATE_LIMIT_PER_USER: "1000",
    CONVENE_ATTACHMENT_MAX_BYTES: String(FILE_BYTES.file),
    CONVENE_ATTACHMENT_ROOM_MAX_BYTES: String(FILE_BYTES.room),
};

/** One process that serves. */
export class Worker {
    private child: ChildProcess | undefined;

    /** `port` 0 lets the system choose one; `isFirst`: its database is new. */
    async start(
        database: string,
        port: number,
        isFirst: boolean,
        settings: Record<string, string> = {},
    ): Promise<Started> {
        // Every variable of the server's prefix is a setting to it: this one is ours.
        const { CONVENE_BIN: binary, ...env } = process.env;
        if (!binary) {
            throw new Error("CONVENE_BIN must name the program that serves");
        }
        const child = spawn(binary, ["serve", "--db", database, "--port", String(port)], {
            env: { ...env, ...LIMITS, ...settings },
            stdio: ["ignore", "pipe", "pipe"],
        });
        this.child = child;
        return await new Promise<Started>((resolve, reject) => {
            let output = "";
            const timer = setTimeout(
                () => reject(new Error(`the server did not start: ${output}`)),
                START_MS,
            );
            const read = (chunk: Buffer) => {
                output += String(chunk);
                const found = readStart(output, isFirst);
                if (found) {
                    clearTimeout(timer);
                    resolve(found);
                }
            };
            child.stdout?.on("data", read);
            child.stderr?.on("data", read);
            child.once("exit", (code) => {
                clearTimeout(timer);
                reject(new Error(`the server ended with ${code}: ${output}`));
            });
        });
    }

    async end(signal: NodeJS.Signals): Promise<void> {
        const child = this.child;
        this.child = undefined;
        if (child && child.exitCode === null && child.signalCode === null) {
            const ended = new Promise((resolve) => child.once("exit", resolve));
            child.kill(signal);
            await ended;
        }
    }
}

/** One process alone, with its SQLite. */
export class Server implements Deployment {
    private readonly folder = mkdtempSync(join(tmpdir(), "convene-e2e-"));
    private readonly worker = new Worker();
    private port = 0;
    url = "";
    link = "";

    async start(): Promise<void> {
        const database = `sqlite:///${join(this.folder, "convene.db")}`;
        const started = await this.worker.start(database, this.port, this.port === 0);
        this.url = started.url;
        this.link ||= started.link;
        // The pages come back to the address they know.
        this.port = Number(new URL(started.url).port);
    }

    async kill(): Promise<void> {
        await this.worker.end("SIGKILL");
    }

    async stop(): Promise<void> {
        await this.worker.end("SIGTERM");
        rmSync(this.folder, { recursive: true, force: true });
    }
}
