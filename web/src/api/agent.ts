// SPDX-License-Identifier: Apache-2.0
// The requests about runs: an agent is driven by way of its room, of an execution or of a workflow that is designed.
import { reportUnauthenticated, writingHeaders } from "./client";
import type { Run, Wake } from "./model";
import { Problem, problemFromAnswer, problemOf } from "./problem";

export interface AgentRoute {
    readonly kind: "room" | "execution" | "workflow";
    readonly id: string;
}

const FOLDERS = { room: "rooms", execution: "workflow-executions", workflow: "workflows" };

function addressOf(route: AgentRoute, what: string): string {
    return `/api/v1/${FOLDERS[route.kind]}/${encodeURIComponent(route.id)}/agent${what}`;
}

/** Another run is under way: which, and since when. */
export class RunInProgress extends Problem {
    readonly runId: string;
    readonly startedAt: string;

    constructor(body: { run_id: string; started_at: string; request_id?: string }) {
        super({ code: "SESSION_RUN_IN_PROGRESS", status: 409, request_id: body.request_id });
        this.runId = body.run_id;
        this.startedAt = body.started_at;
    }
}

function refusalOf(status: number, body: unknown): Problem {
    const problem = problemFromAnswer(status, body);
    return problem.code === "SESSION_RUN_IN_PROGRESS"
        ? new RunInProgress(body as { run_id: string; started_at: string })
        : problem;
}

async function ask(address: string, init: RequestInit): Promise<Response> {
    const answer = await fetch(address, init).catch((thrown: unknown) => {
        throw problemOf(thrown);
    });
    if (answer.status === 401) {
        reportUnauthenticated();
    }
    return answer;
}

async function heard(address: string, init: RequestInit): Promise<Response> {
    const answer = await ask(address, init);
    if (!answer.ok) {
        throw refusalOf(answer.status, await answer.json().catch(() => undefined));
    }
    return answer;
}

function post(address: string, body: object): Promise<Response> {
    return heard(address, {
        method: "POST",
        headers: { ...writingHeaders(), "Content-Type": "application/json" },
        body: JSON.stringify(body),
    });
}

/** A run that answers a message. It goes on when nobody reads its answer any more. */
export function startRun(
    route: AgentRoute,
    roomId: string,
    message: { id: string; text: string },
): Promise<Response> {
    const messages = [{ id: message.id, role: "user", content: message.text }];
    const body = { threadId: roomId, runId: message.id, messages };
    return post(addressOf(route, "?on_disconnect=detach"), body);
}

/** The frames of a run behind one of them, as they come; without its id, of the one that goes on. */
export function readRun(
    route: AgentRoute,
    runId: string | undefined,
    after: string | undefined,
    signal: AbortSignal,
): Promise<Response> {
    const headers: HeadersInit = after === undefined ? {} : { "Last-Event-ID": after };
    const which = runId === undefined ? "" : `?run_id=${encodeURIComponent(runId)}`;
    return ask(addressOf(route, `/stream${which}`), { headers, signal });
}

/** Answers with the run as it was when it was asked to end. */
export async function cancelRun(route: AgentRoute, runId: string): Promise<Run> {
    return (await post(addressOf(route, "/cancel"), { run_id: runId })).json();
}

/** What will be said to the agent later. What has begun is no longer among it. */
export async function fetchWakes(route: AgentRoute): Promise<Wake[]> {
    return (await (await heard(addressOf(route, "/wakes"), {})).json()).wakes;
}

/** Refused once it has begun. */
export function takeWakeBack(route: AgentRoute, id: string): Promise<Response> {
    const address = addressOf(route, `/wakes/${encodeURIComponent(id)}`);
    return heard(address, { method: "DELETE", headers: writingHeaders() });
}
