// SPDX-License-Identifier: Apache-2.0
// What an execution is at, decided from what the server says of it: the one thing that a person wants to know first.
import type { AgentState, Approval, ExecutionTask, WorkflowExecution } from "../api/model";

export type ExecutionState =
    | { kind: "waiting"; question: Approval; more: number; since: string }
    | { kind: "working"; task: ExecutionTask; since: string }
    /** A worker has yet to take it up. */
    | { kind: "queued"; since: string }
    /** The agent is at it, between two tasks. */
    | { kind: "running"; since: string }
    /** The agent's turn ended with open tasks: nothing goes on by itself. */
    | { kind: "resting"; since: string }
    /** It was set aside because it kept killing workers. */
    | { kind: "quarantined"; since: string }
    | { kind: "completed" | "cancelled"; since: string }
    | { kind: "failed"; task: ExecutionTask | undefined; since: string };

export type StateKind = ExecutionState["kind"];

export interface Known {
    execution: WorkflowExecution;
    tasks: readonly ExecutionTask[];
    /** Open questions of its room. */
    questions: readonly Approval[];
    /** As far as it is known: lists do without. */
    session?: Pick<AgentState, "status" | "updated_at">;
}

const OPEN = new Set<ExecutionTask["status"]>(["pending", "in_progress"]);

function endOf(execution: WorkflowExecution, tasks: readonly ExecutionTask[]): ExecutionState {
    const since = execution.finished_at ?? execution.created_at;
    if (execution.status === "failed") {
        return { kind: "failed", task: tasks.find((task) => task.status === "failed"), since };
    }
    return { kind: execution.status === "cancelled" ? "cancelled" : "completed", since };
}

export function stateOf({ execution, tasks, questions, session }: Known): ExecutionState {
    if (execution.status !== "running") {
        return endOf(execution, tasks);
    }
    // The one that was asked first has waited longest.
    const [question] = [...questions].sort(
        (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at),
    );
    if (question) {
        return {
            kind: "waiting",
            question,
            more: questions.length - 1,
            since: question.created_at,
        };
    }
    if (session?.status === "quarantined") {
        return { kind: "quarantined", since: session.updated_at };
    }
    // Between two looks the last task may have ended before the execution is seen to.
    const isOpen = tasks.some((one) => OPEN.has(one.status));
    if (isOpen && (session?.status === "idle" || session?.status === "failed")) {
        return { kind: "resting", since: session.updated_at };
    }
    const task = tasks.find((one) => one.status === "in_progress");
    if (task) {
        return { kind: "working", task, since: task.started_at ?? execution.created_at };
    }
    if (session?.status === "queued") {
        return { kind: "queued", since: execution.created_at };
    }
    return { kind: "running", since: execution.created_at };
}

/** Which step of how many; of an ended one: how many were ended. */
export function stepOf(tasks: readonly ExecutionTask[]): { step: number; of: number } {
    const ended = tasks.filter((task) => !OPEN.has(task.status)).length;
    return { step: Math.min(ended + 1, tasks.length), of: tasks.length };
}

export interface Bar {
    /** Parts of the whole length, from 0 to 1. */
    start: number;
    length: number;
    milliseconds: number;
}

export interface History {
    from: number;
    to: number;
    /** By key: tasks that were never begun have none. */
    bars: Map<string, Bar>;
}

/** The tasks in time: from the beginning of the execution to its end, or to now. */
export function historyOf(
    execution: WorkflowExecution,
    tasks: readonly ExecutionTask[],
    now: number,
): History {
    const from = Date.parse(execution.created_at);
    const ends = tasks.flatMap((task) =>
        task.ended_at === null ? [] : [Date.parse(task.ended_at)],
    );
    const end = execution.finished_at === null ? now : Date.parse(execution.finished_at);
    const to = Math.max(end, from + 1, ...ends);
    const bars = tasks.flatMap((task): [string, Bar][] => {
        if (task.started_at === null) {
            return [];
        }
        const began = Math.max(from, Date.parse(task.started_at));
        const ended = task.ended_at === null ? to : Date.parse(task.ended_at);
        const milliseconds = Math.max(0, ended - began);
        return [
            [
                task.key,
                {
                    start: (began - from) / (to - from),
                    length: milliseconds / (to - from),
                    milliseconds,
                },
            ],
        ];
    });
    return { from, to, bars: new Map(bars) };
}
