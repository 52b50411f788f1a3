// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { closest } from "../src/store/closest";

const found = (wanted: string, ...texts: string[]) =>
    closest(
        texts.map((text) => ({ text })),
        wanted,
    ).map(({ text }) => text);

test("WhatFitsBestStandsFirst", () => {
    expect(
        found(
            "workflow: refund",
            "Design of Workflow: refund",
            "Workflow: refunds",
            "Workflow: refund",
            "Rooms",
        ),
    ).toEqual(["Workflow: refund", "Workflow: refunds", "Design of Workflow: refund"]);
    expect(found("log", "catalogue", "The log", "Log in")).toEqual([
        "Log in",
        "The log",
        "catalogue",
    ]);
});

test("OneOrderIsKeptAmongThoseThatFitAsWell", () => {
    expect(found("", "b", "a", "c")).toEqual(["b", "a", "c"]);
    expect(found(" A ", "ab", "Aa", "ac")).toEqual(["ab", "Aa", "ac"]);
});
