// SPDX-License-Identifier: Apache-2.0
// What is no longer as it was when the server says that something changed: whatever shows it asks again.
import type { QueryClient } from "@tanstack/react-query";
import type { TopicFrame } from "../live/socket";

/** Everything of approvals, and of notifications, lies below these keys. */
export const APPROVALS = "approvals";
export const NOTIFICATIONS = "notifications";

/** What an agent's session may change by running, ending, asking and being answered. */
const OF_SESSIONS = [APPROVALS, NOTIFICATIONS, "executions", "execution", "workflow", "wakes"];

/** After a time without a connection nobody said what changed either. */
export function askAgain(queries: QueryClient): void {
    for (const kind of OF_SESSIONS) {
        void queries.invalidateQueries({ queryKey: [kind] });
    }
}

export function hearNews(queries: QueryClient, frame: TopicFrame): void {
    if (frame.type === "session_changed") {
        askAgain(queries);
    }
}
