// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import type { Approval, ExecutionTask, WorkflowExecution } from "../src/api/model";
import { historyOf, stateOf, stepOf } from "../src/store/executionState";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

const execution = (part: Partial<WorkflowExecution> = {}): WorkflowExecution => ({
    id: "e",
    workflow_id: "w",
    version: 1,
    is_draft: false,
    name: "Returns",
    description: "",
    skill: "",
    skill_commit: "",
    initiator: "u",
    status: "running",
    created_at: at(0),
    finished_at: null,
    ...part,
});

const task = (key: string, part: Partial<ExecutionTask> = {}): ExecutionTask => ({
    key,
    title: key,
    instructions: "",
    depends_on: [],
    tools: [],
    status: "pending",
    error_kind: null,
    error: "",
    result: "",
    started_at: null,
    ended_at: null,
    ...part,
});

const question = (id: string, second: number) =>
    ({
        id,
        created_at: at(second),
        kind: "approval",
        title: id,
        deciders: [],
    }) as unknown as Approval;

const running = task("b", { status: "in_progress", started_at: at(5) });

describe("execution state", () => {
    it("NamesTheOldestQuestionFirst", () => {
        const questions = [question("late", 9), question("early", 7)];
        const state = stateOf({ execution: execution(), tasks: [running], questions });
        expect(state).toMatchObject({ kind: "waiting", more: 1, since: at(7) });
    });

    it("NamesTheTaskThatIsWorkedOn", () => {
        const state = stateOf({
            execution: execution(),
            tasks: [task("a"), running],
            questions: [],
        });
        expect(state).toMatchObject({ kind: "working", since: at(5) });
    });

    it("SaysThatNothingGoesOnByItself", () => {
        const session = { status: "idle", updated_at: at(9) } as const;
        const idle = { execution: execution(), questions: [], session };
        expect(stateOf({ ...idle, tasks: [running] }).kind).toBe("resting");
        // All tasks have ended: the execution is about to.
        const done = task("b", { status: "completed" });
        expect(stateOf({ ...idle, tasks: [done] }).kind).toBe("running");
    });

    it("SaysWhereItFailedAndWhenItEnded", () => {
        const failed = task("b", { status: "failed" });
        const ended = execution({ status: "failed", finished_at: at(8) });
        const state = stateOf({ execution: ended, tasks: [task("a"), failed], questions: [] });
        expect(state).toEqual({ kind: "failed", task: failed, since: at(8) });
    });

    it("CountsSteps", () => {
        const done = task("a", { status: "completed" });
        expect(stepOf([done, running, task("c")])).toEqual({ step: 2, of: 3 });
        expect(stepOf([done])).toEqual({ step: 1, of: 1 });
        expect(stepOf([])).toEqual({ step: 0, of: 0 });
    });
});

describe("execution history", () => {
    it("HasABarForEachTaskThatWasBegun", () => {
        const tasks = [
            task("a", { started_at: at(2), ended_at: at(4), status: "completed" }),
            running,
            task("c"),
        ];
        const { bars } = historyOf(execution(), tasks, Date.parse(at(10)));
        expect(bars.get("a")).toEqual({ start: 0.2, length: 0.2, milliseconds: 2_000 });
        expect(bars.get("b")).toEqual({ start: 0.5, length: 0.5, milliseconds: 5_000 });
        expect(bars.has("c")).toBe(false);
    });

    it("HasALengthAlsoWhereNothingTookTime", () => {
        const ended = execution({ status: "completed", finished_at: at(0) });
        const instant = task("a", { started_at: at(0), ended_at: at(0) });
        const { from, to, bars } = historyOf(ended, [instant], 0);
        expect(to).toBeGreaterThan(from);
        expect(bars.get("a")).toEqual({ start: 0, length: 0, milliseconds: 0 });
    });
});
