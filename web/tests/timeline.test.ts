// SPDX-License-Identifier: Apache-2.0
// The window of a timeline: order, no repeats, edits, deletions, older pages.
import { describe, expect, it } from "vitest";
import {
    eraseEvent,
    extendBack,
    openTimeline,
    prependPage,
    receiveEvent,
    type Timeline,
} from "../src/store/timeline";
import { deletionAt, editAt, eventAt, pageOf, range } from "./events";

const indexes = (timeline: Timeline) => timeline.events.map((event) => event.index);
const opened = () => openTimeline(pageOf(range(10, 20)));

describe("timeline", () => {
    it("OpensWithTheNewestPage", () => {
        const timeline = openTimeline(pageOf([10, 11, 12]));
        expect(indexes(timeline)).toEqual([10, 11, 12]);
        expect(timeline).toMatchObject({ oldest: 10, latest: 12, hasOlder: true });
    });

    it("HasNothingOlderWhenThePageLeadsNoFurther", () => {
        expect(openTimeline({ ...pageOf([4, 5]), next_index: null }).hasOlder).toBe(false);
        expect(openTimeline(pageOf([])).hasOlder).toBe(false);
    });

    it("KeepsTheLatestIndexEvenIfItsEventIsNotForThisReader", () => {
        const timeline = openTimeline({ ...pageOf([1, 2]), latest_index: 7 });
        expect(timeline.latest).toBe(7);
    });

    it("TakesEachEventOnce", () => {
        const once = receiveEvent(opened(), eventAt(20));
        expect(receiveEvent(once, eventAt(20))).toBe(once);
        expect(indexes(once)).toEqual(range(10, 21));
    });

    it("PutsALateEventWhereItsIndexBelongs", () => {
        const later = receiveEvent(opened(), eventAt(22));
        expect(indexes(receiveEvent(later, eventAt(21))).slice(-2)).toEqual([21, 22]);
    });

    it("LeavesOutWhatLiesBeforeTheWindow", () => {
        const timeline = opened();
        expect(receiveEvent(timeline, eventAt(3))).toBe(timeline);
    });

    it("ShowsNoRowForBlockedEventsButKnowsTheirIndex", () => {
        const timeline = receiveEvent(opened(), eventAt(20, { status: "blocked" }));
        expect(indexes(timeline)).toEqual(range(10, 20));
        expect(timeline.latest).toBe(20);
    });

    it("AppliesAnEditToItsTarget", () => {
        const timeline = receiveEvent(opened(), editAt(20, "event-12", "better"));
        expect(indexes(timeline)).toEqual(range(10, 20));
        expect(timeline.events[2]).toMatchObject({ is_edited: true, content: { body: "better" } });
        expect(timeline.latest).toBe(20);
    });

    it("AppliesASoftDeletionToItsTarget", () => {
        const timeline = receiveEvent(opened(), deletionAt(20, "event-12"));
        expect(timeline.events[2]?.is_deleted).toBe(true);
    });

    it("IgnoresAnEditWhoseMessageWasTakenBack", () => {
        const tombstone = { ...editAt(20, "event-12", ""), is_deleted: true };
        tombstone.content = { type: "system", body: "[Message deleted]", code: "message_deleted" };
        const timeline = receiveEvent(opened(), tombstone);
        expect(timeline.events[2]?.is_edited).toBe(false);
        expect(indexes(timeline)).toEqual(range(10, 20));
    });

    it("KeepsOtherEventsTheSameObjectsWhenOneIsEdited", () => {
        const before = opened();
        const after = receiveEvent(before, editAt(20, "event-12", "better"));
        expect(after.events[0]).toBe(before.events[0]);
    });

    it("RemovesWhatWasErasedAndLeavesTheHole", () => {
        const isErased = ({ index }: { index: number }) => index === 14;
        const timeline = eraseEvent(opened(), isErased);
        expect(indexes(timeline)).toEqual([10, 11, 12, 13, 15, 16, 17, 18, 19]);
        expect(eraseEvent(timeline, isErased)).toBe(timeline);
    });

    it("PrependsAnOlderPageWithoutRepeats", () => {
        const timeline = prependPage(opened(), pageOf(range(2, 12)));
        expect(indexes(timeline)).toEqual(range(2, 20));
        expect(timeline).toMatchObject({ oldest: 2, hasOlder: true });
    });

    it("TakesNoPageOfAnotherEpoch", () => {
        const timeline = opened();
        expect(prependPage(timeline, pageOf(range(0, 10), 1))).toBe(timeline);
    });

    it("ExtendsBackWithoutLosingWhatCameMeanwhile", () => {
        const reached = prependPage(opened(), pageOf(range(4, 10)));
        const meanwhile = receiveEvent(
            receiveEvent(opened(), eventAt(20)),
            editAt(21, "event-12", "better"),
        );
        const extended = extendBack(meanwhile, reached);
        expect(indexes(extended)).toEqual(range(4, 21));
        expect(extended.events[8]).toMatchObject({ is_edited: true });
        expect(extended).toMatchObject({ oldest: 4, latest: 21 });
        expect([...extended.seams].sort()).toEqual([10, 4]);
    });
});
