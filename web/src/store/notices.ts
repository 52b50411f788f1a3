// SPDX-License-Identifier: Apache-2.0
// What a notification tells: of what, how that ended, and where it leads.
import type { Notification } from "../api/model";

export interface Notice {
    /** The workflow's or the execution's name; of a form that is not known: the whole title. */
    readonly subject: string;
    /** How an execution ended. */
    readonly outcome?: "completed" | "failed" | "cancelled";
    /** How many of how many tasks. */
    readonly tasks?: { readonly done: number; readonly of: number };
    /** More words of the server. */
    readonly text: string;
}

/** Titles are English sentences around a name: the name is shown in a sentence of the page's language. */
export function readNotice({ kind, title, body }: Notification): Notice {
    if (kind === "draft_ready" || kind === "generation_failed") {
        const name = /^The draft [a-z ]+: (.+)$/s.exec(title)?.[1];
        const count = /^(\d+) tasks$/.exec(body)?.[1];
        return {
            subject: name ?? title,
            ...(count !== undefined && { tasks: { done: 0, of: Number(count) } }),
            text: count === undefined ? body : "",
        };
    }
    const ended = /^(.+): (completed|failed|cancelled)$/s.exec(title);
    const tasks = /^(\d+) of (\d+) tasks completed$/.exec(body);
    return {
        subject: ended?.[1] ?? title,
        ...(ended && { outcome: ended[2] as "completed" | "failed" | "cancelled" }),
        ...(tasks && { tasks: { done: Number(tasks[1]), of: Number(tasks[2]) } }),
        text: tasks ? "" : body,
    };
}

const API = "/api/v1/";
const PAGES: ReadonlyMap<string, string> = new Map([
    ["workflows", "workflows"],
    ["workflow-executions", "executions"],
    ["approvals", "approvals"],
    ["rooms", "rooms"],
]);

/** The page that shows what a path of the API names; undefined where there is none. */
export function pageOf(link: string): string | undefined {
    const [collection, id, ...rest] = link.startsWith(API) ? link.slice(API.length).split("/") : [];
    const page = collection === undefined ? undefined : PAGES.get(collection);
    const isPlain = id !== undefined && /^[\w.~-]+$/.test(id) && rest.length === 0;
    return page !== undefined && isPlain ? `/${page}/${id}` : undefined;
}
