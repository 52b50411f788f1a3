// SPDX-License-Identifier: Apache-2.0
// What is known of a room's agent, and which of its runs goes on.
import type { AgentState, AgentStatus, Run } from "../api/model";
import type { Problem } from "../api/problem";
import type { RunView } from "./run";

export interface AgentView {
    readonly status: AgentStatus;
    /** The channel that answers. */
    readonly agent: string;
    /** As the server lists them: the last one first. */
    readonly runs: readonly Run[];
    /** Those that were watched here, in the order in which they were begun. */
    readonly watched: readonly RunView[];
    /** What people are asked. */
    readonly questions: AgentState["interrupts"];
    /** The runs that were stopped from this page. */
    readonly stopped: ReadonlySet<string>;
    /** Why the run that goes on can't be shown. */
    readonly problem: Problem | undefined;
}

/** The run that goes on, as far as is known: from its stream first, else from the server's list. */
export function activeRun(view: AgentView): { id: string; run: Run | undefined } | undefined {
    const watched = view.watched.at(-1);
    if (watched && !watched.outcome && !watched.isPast) {
        return { id: watched.id, run: view.runs.find(({ id }) => id === watched.id) };
    }
    const [last] = view.runs;
    const isOver = view.watched.some(({ id, outcome }) => id === last?.id && outcome);
    return last?.status === "running" && !isOver ? { id: last.id, run: last } : undefined;
}
