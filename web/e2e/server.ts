// SPDX-License-Identifier: Apache-2.0
// Starts and stops the real server. How it is called, and what it prints, is known here only.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Started {
    url: string;
    /** Good once: logs in the first administrator. Printed at the first start of a database. */
    link: string;
}

/** The arguments of `convene serve`; port 0 lets the system choose one. */
function commandLine(database: string, port: number): string[] {
    return ["serve", "--db", `sqlite:///${database}`, "--port", String(port)];
}

/** What the server printed so far, once it tells where it listens; undefined until then. */
function readStart(output: string, isFirst: boolean): Started | undefined {
    const url = /https?:\/\/[\w.[\]:]+:\d+/.exec(output)?.[0];
    const link = /https?:\/\/\S+#link=[\w.~-]+/.exec(output)?.[0] ?? "";
    return url !== undefined && (link !== "" || !isFirst) ? { url, link } : undefined;
}

const START_MS = 20_000;

/** Small, so that checks reach the limits with little; a room holds no second file of the largest size. */
export const FILE_BYTES = { file: 1_000_000, room: 1_500_000 };

const LIMITS = {
    CONVENE_ATTACHMENT_MAX_BYTES: String(FILE_BYTES.file),
    CONVENE_ATTACHMENT_ROOM_MAX_BYTES: String(FILE_BYTES.room),
};

export class Server {
    private readonly folder = mkdtempSync(join(tmpdir(), "convene-e2e-"));
    private process: ChildProcess | undefined;
    private port = 0;
    url = "";
    link = "";

    async start(): Promise<void> {
        // Every variable of the server's prefix is a setting to it: this one is ours.
        const { CONVENE_BIN: binary, ...env } = process.env;
        if (!binary) {
            throw new Error("CONVENE_BIN must name the program that serves");
        }
        const isFirst = this.port === 0;
        const database = join(this.folder, "convene.db");
        const child = spawn(binary, commandLine(database, this.port), {
            env: { ...env, ...LIMITS },
            stdio: ["ignore", "pipe", "pipe"],
        });
        this.process = child;
        const started = await new Promise<Started>((resolve, reject) => {
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
        this.url = started.url;
        this.link ||= started.link;
        // The pages come back to the address they know.
        this.port = Number(new URL(started.url).port);
    }

    /** As a crash does: no farewell, nothing put in order. */
    async kill(): Promise<void> {
        await this.end("SIGKILL");
    }

    async stop(): Promise<void> {
        await this.end("SIGTERM");
        rmSync(this.folder, { recursive: true, force: true });
    }

    private async end(signal: NodeJS.Signals): Promise<void> {
        const child = this.process;
        this.process = undefined;
        if (child && child.exitCode === null && child.signalCode === null) {
            const ended = new Promise((resolve) => child.once("exit", resolve));
            child.kill(signal);
            await ended;
        }
    }
}
