// SPDX-License-Identifier: Apache-2.0
// Who reads the end goes on reading it; who scrolls up is left in peace at once.
import { describe, expect, it } from "vitest";
import { Following } from "../src/store/following";

const at = (scrollTop: number, scrollHeight = 2_000) => ({
    scrollTop,
    scrollHeight,
    clientHeight: 600,
});

function atTheEnd(): Following {
    const following = new Following();
    following.moved(at(1_400));
    return following;
}

describe("following", () => {
    it("EndsWithTheFirstStepUp", () => {
        const following = atTheEnd();
        following.moved(at(1_360));
        expect(following.isFollowing).toBe(false);
    });

    it("OutlastsWhatIsPutInBelow", () => {
        const following = atTheEnd();
        following.moved(at(1_400, 2_058));
        expect(following.isFollowing).toBe(true);
    });

    it("OutlastsRowsThatShrink", () => {
        const following = atTheEnd();
        following.moved(at(1_381, 2_039));
        expect(following.isFollowing).toBe(true);
    });

    it("EndsWithAStepUpLargerThanWhatCame", () => {
        const following = atTheEnd();
        following.moved(at(1_000, 2_058));
        expect(following.isFollowing).toBe(false);
    });

    it("EndsWithTheWishHoweverMuchGrowsInTheSameFrame", () => {
        const following = atTheEnd();
        // It was put at its end as it grew, which is heard of only after the wheel.
        following.leave(at(1_424, 2_024));
        following.moved(at(1_424, 2_024));
        expect(following.isFollowing).toBe(false);
        // A step up that is smaller than what came.
        following.moved(at(1_384, 2_096));
        expect(following.isFollowing).toBe(false);
        following.moved(at(1_496, 2_096));
        expect(following.isFollowing).toBe(true);
    });

    it("BeginsAgainAtTheEnd", () => {
        const following = atTheEnd();
        following.moved(at(1_000));
        following.moved(at(1_390));
        expect(following.isFollowing).toBe(false);
        following.moved(at(1_398));
        expect(following.isFollowing).toBe(true);
    });

    it("DoesNotBeginWhereAMessageIsShown", () => {
        const following = new Following();
        following.place("message");
        following.moved(at(700));
        following.moved(at(700, 2_100));
        expect(following.isFollowing).toBe(false);
    });
});
