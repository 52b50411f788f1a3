// SPDX-License-Identifier: Apache-2.0
// Three workers on one PostgreSQL, behind nginx, which gives each request to the next of them.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Deployment, Worker } from "./server";

const WORKERS = 3;
/** Where Debian puts it; not everybody's path leads there. */
const NGINX = process.env.NGINX ?? "/usr/sbin/nginx";
const START_MS = 10_000;
const POSTGRES = join("..", "tests", "support", "postgres_server.py");

/** A port of this machine that nobody uses now. */
async function freePort(): Promise<number> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    return port;
}

/** Until somebody listens there. */
async function listens(port: number): Promise<void> {
    for (const end = Date.now() + START_MS; ; ) {
        const isThere = await new Promise<boolean>((resolve) => {
            const socket = connect(port, "127.0.0.1", () => resolve(true));
            socket.once("error", () => resolve(false));
            socket.once("connect", () => socket.destroy());
        });
        if (isThere) {
            return;
        }
        if (Date.now() > end) {
            throw new Error(`nobody listens at port ${port}`);
        }
        await new Promise((done) => setTimeout(done, 20));
    }
}

function configuration(folder: string, front: number, workers: readonly number[]): string {
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((kind) => `    ${kind}_temp_path ${folder}/${kind};`)
        .join("\n");
    // As root it would give its own work to somebody who may not enter the folder.
    const user = process.getuid?.() === 0 ? "user root;\n" : "";
    return `${user}daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log;
events {}
http {
    access_log off;
${temporary}
    map $http_upgrade $connection_upgrade {
        default upgrade;
        '' '';
    }
    upstream workers {
${workers.map((port) => `        server 127.0.0.1:${port} max_fails=0;`).join("\n")}
    }
    server {
        listen 127.0.0.1:${front};
        client_max_body_size 0;
        location / {
            proxy_pass http://workers;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_buffering off;
            proxy_read_timeout 1h;
        }
    }
}
`;
}

export class Cluster implements Deployment {
    private readonly folder = mkdtempSync(join(tmpdir(), "convene-e2e-"));
    private readonly workers = Array.from({ length: WORKERS }, () => new Worker());
    private readonly settings = { CONVENE_SECRETS_KEY: randomBytes(32).toString("base64") };
    private ports: number[] = [];
    private database = "";
    private nginx: ChildProcess | undefined;
    url = "";
    link = "";

    async start(): Promise<void> {
        const isFirst = this.database === "";
        if (isFirst) {
            await this.prepare();
        }
        for (const [at, worker] of this.workers.entries()) {
            const port = this.ports[at] as number;
            const { link } = await worker.start(this.database, port, isFirst, this.settings);
            // Until somebody has signed in, each start prints a link in place of the one before.
            this.link = isFirst
                ? `${this.url}${link.slice(new URL(link).origin.length)}`
                : this.link;
        }
    }

    private async prepare(): Promise<void> {
        const address = this.addressFile();
        execFileSync("python3", ["-B", POSTGRES, "start", address]);
        const host = /host=(\S+)/.exec(readFileSync(address, "utf8"))?.[1];
        this.database = `postgresql://convene@/postgres?host=${host}`;
        for (let at = 0; at <= WORKERS; at += 1) {
            this.ports.push(await freePort());
        }
        const front = this.ports[WORKERS] as number;
        this.url = `http://127.0.0.1:${front}`;
        const file = join(this.folder, "nginx.conf");
        writeFileSync(file, configuration(this.folder, front, this.ports.slice(0, WORKERS)));
        this.nginx = spawn(NGINX, ["-c", file, "-e", join(this.folder, "nginx.log")], {
            stdio: "ignore",
        });
        await listens(front);
    }

    private addressFile(): string {
        return join(this.folder, "postgres");
    }

    /** All of them, so that nobody is left who could take something up before `start`. */
    async kill(): Promise<void> {
        await Promise.all(this.workers.map((worker) => worker.end("SIGKILL")));
    }

    async stop(): Promise<void> {
        await Promise.all(this.workers.map((worker) => worker.end("SIGTERM")));
        const nginx = this.nginx;
        if (nginx && nginx.exitCode === null) {
            const ended = new Promise((resolve) => nginx.once("exit", resolve));
            nginx.kill("SIGTERM");
            await ended;
        }
        execFileSync("python3", ["-B", POSTGRES, "stop", this.addressFile()]);
        rmSync(this.folder, { recursive: true, force: true });
    }
}
