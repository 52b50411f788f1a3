// SPDX-License-Identifier: Apache-2.0
// Where notifications lead, and in which sentence they are told.
import { describe, expect, it } from "vitest";
import type { Notification } from "../src/api/model";
import { besidesQuestions, pageOf, sentenceOf } from "../src/store/notices";

const told = (kind: string, outcome: Notification["outcome"] = null) =>
    sentenceOf({ kind, outcome } as Notification);

describe("a notice", () => {
    it("IsToldByWhatHappened", () => {
        expect(told("draft_ready", "completed")).toBe("draftReady");
        expect(told("generation_failed", "failed")).toBe("draftFailed");
        expect(told("execution_completed", "completed")).toBe("completed");
        expect(told("execution_completed", "failed")).toBe("failed");
        expect(told("approval_request")).toBe("approvalWanted");
    });

    it("HasNoSentenceForWhatItDoesNotKnow", () => {
        expect(told("execution_completed")).toBeUndefined();
        expect(told("something_else", "completed")).toBeUndefined();
        expect(told("constructor")).toBeUndefined();
    });

    it("IsNotShownBesideTheQuestionThatItIsAbout", () => {
        const told = ["approval_request", "draft_ready"].map((kind) => ({ kind }) as Notification);
        expect(besidesQuestions(told)).toEqual([told[1]]);
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
