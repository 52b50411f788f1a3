// SPDX-License-Identifier: Apache-2.0
// Every refusal of the server becomes a sentence, whatever its body is.
import { describe, expect, it } from "vitest";
import { KNOWN_CODES, Problem, problemFromAnswer, problemOf } from "../src/api/problem";
import english from "../src/i18n/en.json";

const OTHER_KEYS = ["retry", "retryIn", "reference", "copy"];

describe("problem", () => {
    it("HasASentenceForEveryCodeAndNoneBesides", () => {
        const sentences = Object.keys(english.problem).filter((key) => !OTHER_KEYS.includes(key));
        expect(sentences.sort()).toEqual([...KNOWN_CODES].sort());
    });

    it("KeepsWhatTheServerSaid", () => {
        const problem = problemFromAnswer(422, {
            code: "VALIDATION_ERROR",
            status: 422,
            title: "Invalid",
            request_id: "r1",
            errors: [{ field: "name", reason: "too long" }],
        });
        expect(problem).toMatchObject({
            sentence: "VALIDATION_ERROR",
            requestId: "r1",
            retryable: false,
            fields: [{ field: "name", reason: "too long" }],
        });
    });

    it("FallsBackToWhatTheStatusMeans", () => {
        const sentence = (status: number) =>
            new Problem({ code: "SOMETHING_NEW", status }).sentence;
        expect([401, 403, 404, 413, 429, 503, 418].map(sentence)).toEqual([
            "UNAUTHENTICATED",
            "FORBIDDEN",
            "NOT_FOUND",
            "PAYLOAD_TOO_LARGE",
            "RATE_LIMITED",
            "OVERLOADED",
            "UNKNOWN",
        ]);
    });

    it("TakesAForeignBodyForAnUnreachableServer", () => {
        expect(problemFromAnswer(502, "<html>Bad Gateway")).toMatchObject({
            code: "UNREACHABLE",
            retryable: true,
        });
        expect(problemFromAnswer(400, undefined).sentence).toBe("UNKNOWN");
    });

    it("KnowsARequestThatNeverArrived", () => {
        expect(problemOf(new TypeError("Failed to fetch")).code).toBe("UNREACHABLE");
    });
});
