// SPDX-License-Identifier: Apache-2.0
// What is no longer as it was when the server says that something changed: whatever shows it asks again.
import type { QueryClient } from "@tanstack/react-query";
import type { TopicFrame } from "../live/socket";

/** Everything of approvals, and of notifications, lies below these keys. */
export const APPROVALS = "approvals";
export const NOTIFICATIONS = "notifications";

export function hearNews(queries: QueryClient, frame: TopicFrame): void {
    if (frame.type === "approvals_changed") {
        void queries.invalidateQueries({ queryKey: [APPROVALS] });
    } else if (frame.type === "notifications_changed") {
        void queries.invalidateQueries({ queryKey: [NOTIFICATIONS] });
    }
}

/** After a time without a connection nobody said what changed. */
export function missNews(queries: QueryClient): void {
    void queries.invalidateQueries({ queryKey: [APPROVALS] });
    void queries.invalidateQueries({ queryKey: [NOTIFICATIONS] });
}
