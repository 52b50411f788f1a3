// SPDX-License-Identifier: Apache-2.0
// What notifications tell, and where they lead.
import { describe, expect, it } from "vitest";
import type { Notification } from "../src/api/model";
import { pageOf, readNotice } from "../src/store/notices";

const told = (kind: Notification["kind"], title: string, body = "") =>
    readNotice({ kind, title, body } as Notification);

describe("a notice", () => {
    it("SaysOfWhatItTells", () => {
        expect(told("draft_ready", "The draft is ready: Returns: EU", "3 tasks")).toEqual({
            subject: "Returns: EU",
            tasks: { done: 0, of: 3 },
            text: "",
        });
        expect(
            told("generation_failed", "The draft could not be made: Returns", "no tasks"),
        ).toEqual({ subject: "Returns", text: "no tasks" });
        expect(
            told("execution_completed", "Returns: EU: failed", "1 of 3 tasks completed"),
        ).toEqual({
            subject: "Returns: EU",
            outcome: "failed",
            tasks: { done: 1, of: 3 },
            text: "",
        });
    });

    it("ShowsWhatItDoesNotKnowAsItIs", () => {
        expect(told("execution_completed", "Something else", "as it came")).toEqual({
            subject: "Something else",
            text: "as it came",
        });
    });

    it("LeadsToAPageOfOurs", () => {
        expect(pageOf("/api/v1/workflows/w1")).toBe("/workflows/w1");
        expect(pageOf("/api/v1/workflow-executions/r1")).toBe("/executions/r1");
        expect(pageOf("/api/v1/approvals/a1")).toBe("/approvals/a1");
    });

    it.each([
        "",
        "https://example.com/api/v1/workflows/1",
        "/api/v1/workflows",
        "/api/v1/workflows/../admin",
        "/api/v1/workflows/1/versions",
        "/api/v1/constructor/1",
    ])("LeadsNowhereBy %j", (link) => {
        expect(pageOf(link)).toBeUndefined();
    });
});
