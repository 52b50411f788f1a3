// SPDX-License-Identifier: Apache-2.0
// What the server says has changed is asked for again, and nothing else.
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { APPROVALS, askAgain, hearNews, NOTIFICATIONS } from "../src/store/news";

describe("news", () => {
    let queries: QueryClient;
    let asked: string[];
    let stop: () => void;

    beforeEach(async () => {
        queries = new QueryClient({ defaultOptions: { queries: { staleTime: 60_000 } } });
        asked = [];
        const watch = (...queryKey: string[]) =>
            new QueryObserver(queries, {
                queryKey,
                queryFn: () => {
                    asked.push(queryKey.join("/"));
                    return Promise.resolve(asked.length);
                },
            }).subscribe(() => undefined);
        const ends = [
            watch(APPROVALS, "open"),
            watch(APPROVALS, "room", "1"),
            watch(NOTIFICATIONS, "unread"),
            watch("rooms"),
        ];
        stop = () => {
            for (const end of ends) {
                end();
            }
            queries.clear();
        };
        await vi.waitFor(() => expect(asked).toHaveLength(4));
        asked = [];
    });

    afterEach(() => stop());

    it("OfSessionsAreAskedFor", async () => {
        hearNews(queries, { type: "session_changed", topic: "me", room_id: "1" });
        await vi.waitFor(() =>
            expect(asked).toEqual(["approvals/open", "approvals/room/1", "notifications/unread"]),
        );
    });

    it("MayHaveBeenMissed", async () => {
        askAgain(queries);
        await vi.waitFor(() => expect(asked).toHaveLength(3));
        expect(asked).not.toContain("rooms");
    });

    it("OfOtherThingsChangeNothing", async () => {
        hearNews(queries, { type: "rooms_changed", topic: "me", room_id: "1" });
        await Promise.resolve();
        expect(asked).toEqual([]);
    });
});
