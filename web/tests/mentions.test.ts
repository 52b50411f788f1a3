// SPDX-License-Identifier: Apache-2.0
// Naming people: when names are suggested, who is meant, and what of it stands in a text.
import { describe, expect, it } from "vitest";
import type { Participant } from "../src/api/model";
import {
    mentionAt,
    mentionedIn,
    mentionsOf,
    splitMentions,
    suggested,
    withMention,
} from "../src/store/mentions";
import { eventAt } from "./events";

function person(id: string, name: string, change: Partial<Participant> = {}): Participant {
    return {
        id,
        display_name: name,
        role: "member",
        status: "active",
        identity_id: "",
        external_id: "",
        metadata: {},
        joined_at: "2026-11-30T09:00:00Z",
        ...change,
    };
}

const people = [
    person("a", "Ann"),
    person("l", "Ann Lee"),
    person("k", "佐藤 健司"),
    person("gone", "Anton", { status: "left" }),
];
const at = (text: string) => mentionAt(text, text.length);
const names = (found: readonly Participant[]) => found.map((each) => each.display_name);

describe("a name that is begun", () => {
    it("IsWhatFollowsAnAt", () => {
        expect(at("ask @An")).toEqual({ start: 4, wanted: "An" });
        expect(at("@")).toEqual({ start: 0, wanted: "" });
        expect(at("@Ann Le")).toEqual({ start: 0, wanted: "Ann Le" });
    });

    it("IsNoneInAnAddressOrOnAnotherLine", () => {
        expect(at("mail ann@exa")).toBeUndefined();
        expect(at("@Ann\nnext")).toBeUndefined();
        expect(at("@ Ann")).toBeUndefined();
        expect(at("no name")).toBeUndefined();
    });

    it("IsReplacedByTheWholeName", () => {
        const query = { start: 4, wanted: "an" };
        expect(withMention("ask @an about it", query, "Ann Lee")).toEqual({
            text: "ask @Ann Lee about it",
            caret: 13,
        });
    });
});

describe("who is suggested", () => {
    it("BeginsSoInAnyPartOfTheName", () => {
        expect(names(suggested(people, "an", ""))).toEqual(["Ann", "Ann Lee"]);
        expect(names(suggested(people, "LEE", ""))).toEqual(["Ann Lee"]);
        expect(names(suggested(people, "健", ""))).toEqual(["佐藤 健司"]);
    });

    it("IsThereAndSomebodyElse", () => {
        expect(names(suggested(people, "ann", "a"))).toEqual(["Ann Lee"]);
        expect(names(suggested(people, "anton", ""))).toEqual([]);
    });
});

describe("names in a text", () => {
    it("AreTheLongestThatFit", () => {
        expect(mentionedIn("@Ann Lee and @Ann, please", people)).toEqual(["l", "a"]);
        expect(mentionedIn("@佐藤 健司さん、お願いします", people)).toEqual(["k"]);
    });

    it("AreNotTheBeginningOfOtherWords", () => {
        expect(mentionedIn("@Annabel @Anton Ann", people)).toEqual([]);
    });

    it("PartTheTextAndLoseNothingOfIt", () => {
        const text = "@Ann: see @Ann Lee.";
        const parts = splitMentions(text, people);
        expect(parts.map((part) => part.text).join("")).toBe(text);
        expect(parts.map((part) => part.person?.id)).toEqual(["a", undefined, "l", undefined]);
    });

    it("AreReadFromAnEventWhateverItHolds", () => {
        expect(mentionsOf(eventAt(0, { metadata: { mentions: ["a", 7, null] } }))).toEqual(["a"]);
        expect(mentionsOf(eventAt(0, { metadata: { mentions: "a" } }))).toEqual([]);
        expect(mentionsOf(eventAt(0))).toEqual([]);
    });
});
