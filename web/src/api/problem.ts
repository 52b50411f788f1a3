// SPDX-License-Identifier: Apache-2.0
// A refusal of the server as an exception, and which sentence of ours says it.
import type { ProblemBody } from "./model";

/** Codes that have their own sentence; every one is a key below `problem` in the catalogues. */
export const KNOWN_CODES = [
    "VALIDATION_ERROR",
    "INVALID_JSON",
    "UNAUTHENTICATED",
    "FORBIDDEN",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "LAST_ADMIN",
    "ROOM_CLOSED",
    "IDEMPOTENCY_IN_PROGRESS",
    "IDEMPOTENCY_KEY_REUSED",
    "PAYLOAD_TOO_LARGE",
    "ATTACHMENT_QUOTA_EXCEEDED",
    "RATE_LIMITED",
    "TOO_MANY_ATTEMPTS",
    "DRAINING",
    "DATABASE_UNAVAILABLE",
    "COMMIT_OUTCOME_UNKNOWN",
    "ROOM_CONTENDED",
    "PROCESS_TIMEOUT",
    "EVENT_DELETED",
    "APPROVAL_ALREADY_RESOLVED",
    "APPROVAL_EXPIRED",
    "OVERLOADED",
    "WORKFLOW_CHANGED",
    "SKILL_NOT_READY",
    "CHANNEL_NOT_REGISTERED",
    "SESSION_RUN_IN_PROGRESS",
    "EXECUTION_ENDED",
    "UNREACHABLE",
    "UNKNOWN",
] as const;

export type KnownCode = (typeof KNOWN_CODES)[number];

/** What is known of a refusal; all of it when the server sent it. */
export type Refusal = Pick<ProblemBody, "code" | "status"> & Partial<ProblemBody>;

/** What the server, or the way to it, answered instead of what was asked for. */
export class Problem extends Error {
    readonly code: string;
    readonly status: number;
    readonly requestId: string;
    readonly retryable: boolean;
    /** Seconds to wait before trying again; undefined when the server did not say. */
    readonly retryAfter: number | undefined;
    readonly fields: readonly { field: string; reason: string }[];
    /** All that was sent with it: some codes bring more than every problem has. */
    private readonly body: Readonly<Record<string, unknown>>;

    constructor(body: Refusal) {
        super(body.detail || body.title || body.code);
        this.name = "Problem";
        this.code = body.code;
        this.status = body.status;
        this.requestId = body.request_id ?? "";
        this.retryable = body.retryable ?? false;
        this.retryAfter = body.retry_after;
        this.fields = body.errors ?? [];
        this.body = { ...body };
    }

    /** A word that this code brings; empty where it is none. */
    word(name: string): string {
        const value = this.body[name];
        return typeof value === "string" ? value : "";
    }

    /** The code whose sentence is shown: an unknown one is shown by what its status means. */
    get sentence(): KnownCode {
        const known = KNOWN_CODES.find((code) => code === this.code);
        if (known) {
            return known;
        }
        if (this.status === 401) {
            return "UNAUTHENTICATED";
        }
        if (this.status === 403) {
            return "FORBIDDEN";
        }
        if (this.status === 404) {
            return "NOT_FOUND";
        }
        if (this.status === 413) {
            return "PAYLOAD_TOO_LARGE";
        }
        if (this.status === 429) {
            return "RATE_LIMITED";
        }
        if (this.status === 503) {
            return "OVERLOADED";
        }
        return "UNKNOWN";
    }
}

/** No answer came: the server was not reached, or a proxy before it spoke. */
export function unreachable(status = 0): Problem {
    return new Problem({
        code: "UNREACHABLE",
        status,
        title: "The server was not reached",
        retryable: true,
    });
}

/** Anything thrown, as a problem that can be shown. */
export function problemOf(thrown: unknown): Problem {
    if (thrown instanceof Problem) {
        return thrown;
    }
    if (thrown instanceof TypeError) {
        // What fetch throws when no connection came about.
        return unreachable();
    }
    return new Problem({ code: "UNKNOWN", status: 0, title: String(thrown) });
}

function isRefusal(body: unknown): body is Refusal {
    return typeof body === "object" && body !== null && "code" in body && "status" in body;
}

/** The problem in the body of a refused request. */
export function problemFromAnswer(status: number, body: unknown): Problem {
    if (isRefusal(body)) {
        return new Problem(body);
    }
    // A body that is not ours came from something between: only its status counts.
    return status >= 500 ? unreachable(status) : new Problem({ code: "UNKNOWN", status });
}
