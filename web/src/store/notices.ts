// SPDX-License-Identifier: Apache-2.0
// In which sentence a notification is told, and where it leads.
import type { Notification } from "../api/model";

/** What the inbox does not show as a question of its own already. */
export function besidesQuestions(told: readonly Notification[]): Notification[] {
    return told.filter(({ kind }) => kind !== "approval_request");
}

/** A key of the words for notifications. */
export type Sentence = "draftReady" | "draftFailed" | "approvalWanted" | "completed" | "failed";

/** Undefined of a kind or an end that is not known: its name has to say it. */
export function sentenceOf({
    kind,
    outcome,
}: Pick<Notification, "kind" | "outcome">): Sentence | undefined {
    switch (kind) {
        case "draft_ready":
            return "draftReady";
        case "generation_failed":
            return "draftFailed";
        case "approval_request":
            return "approvalWanted";
        case "execution_completed":
            return outcome ?? undefined;
        default:
            return undefined;
    }
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
