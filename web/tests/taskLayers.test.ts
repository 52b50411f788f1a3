// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { layOut, pathOf } from "../src/store/taskLayers";

const SIZES = { width: 100, height: 40, gap: 20, layerGap: 30, lane: 10 };
const task = (key: string, ...depends_on: string[]) => ({ key, depends_on });
const rowOf = (y: number) => y / (SIZES.height + SIZES.layerGap);

function overlaps(drawing: ReturnType<typeof layOut>): string[] {
    return drawing.tasks.flatMap((a, at) =>
        drawing.tasks
            .slice(at + 1)
            .filter((b) => a.y === b.y && Math.abs(a.x - b.x) < SIZES.width)
            .map((b) => `${a.key} on ${b.key}`),
    );
}

describe("task layers", () => {
    it("PutEachTaskBelowAllThatItDependsOn", () => {
        const drawing = layOut(
            [task("d", "b", "c"), task("a"), task("b", "a"), task("c", "b")],
            SIZES,
        );
        const rows = Object.fromEntries(drawing.tasks.map(({ key, y }) => [key, rowOf(y)]));
        expect(rows).toEqual({ a: 0, b: 1, c: 2, d: 3 });
        expect(drawing.lines).toHaveLength(4);
    });

    it("LetNoTaskStandOnAnother", () => {
        const many = Array.from({ length: 64 }, (_, at) =>
            task(`t${at}`, ...(at === 0 ? [] : [`t${Math.floor((at - 1) / 3)}`])),
        );
        const drawing = layOut(many, SIZES);
        expect(overlaps(drawing)).toEqual([]);
        for (const { x, y } of drawing.tasks) {
            expect(x).toBeGreaterThanOrEqual(0);
            expect(x + SIZES.width).toBeLessThanOrEqual(drawing.width);
            expect(y + SIZES.height).toBeLessThanOrEqual(drawing.height);
        }
    });

    it("LeadLinesPastTheTasksBetween", () => {
        const drawing = layOut([task("a"), task("b", "a"), task("c", "a", "b")], SIZES);
        const long = drawing.lines.find(({ from, to }) => from === "a" && to === "c");
        const between = drawing.tasks.find(({ key }) => key === "b");
        const passing = long?.points[1]?.x ?? 0;
        const left = between?.x ?? 0;
        expect(passing < left || passing > left + SIZES.width).toBe(true);
        expect(pathOf(long ?? { from: "", to: "", points: [] })).toMatch(/^M.*C.*L.*C/);
    });

    it("UncrossWhatNeedNotCross", () => {
        const drawing = layOut([task("a"), task("b"), task("x", "b"), task("y", "a")], SIZES);
        const x = Object.fromEntries(drawing.tasks.map((placed) => [placed.key, placed.x]));
        expect(Math.sign((x.a ?? 0) - (x.b ?? 0))).toBe(Math.sign((x.y ?? 0) - (x.x ?? 0)));
    });

    it("ComeToAnEndForTasksThatWaitForEachOther", () => {
        expect(
            layOut([task("a", "b"), task("b", "a"), task("c", "gone")], SIZES).tasks,
        ).toHaveLength(3);
        expect(layOut([], SIZES)).toEqual({ width: 0, height: 0, tasks: [], lines: [] });
    });
});
