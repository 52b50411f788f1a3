// SPDX-License-Identifier: Apache-2.0
// An execution with its tasks and its session: looked at again while it runs, and once more when it has ended.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { fetchAgentState } from "../../api/calls";
import type { WorkflowExecution } from "../../api/model";
import { fetchExecution, fetchExecutionTasks } from "../../api/workflows";
import { stateOf } from "../../store/executionState";
import { livePolling, settled } from "../../ui/livePolling";

export function useExecution(executionId: string) {
    return useQuery({
        queryKey: ["execution", executionId],
        queryFn: () => fetchExecution(executionId),
        ...livePolling,
        refetchInterval: ({ state }) =>
            state.data?.status !== "running" && state.data !== undefined
                ? false
                : livePolling.refetchInterval(),
    });
}

export function useExecutionTasks(executionId: string, isRunning: boolean, isWanted = true) {
    return useQuery({
        enabled: isWanted,
        queryKey: ["execution", executionId, "tasks"],
        queryFn: () => fetchExecutionTasks(executionId),
        ...(isRunning ? livePolling : settled),
    });
}

/** All that is known of an execution that is there, and the one thing to say of it. */
export function useProgress(execution: WorkflowExecution) {
    const queries = useQueryClient();
    const isRunning = execution.status === "running";
    const tasks = useExecutionTasks(execution.id, isRunning);
    const session = useQuery({
        queryKey: ["execution", execution.id, "session"],
        queryFn: async () => (await fetchAgentState(execution.id)) ?? null,
        ...livePolling,
        enabled: isRunning,
    });
    const wasRunning = useRef(isRunning);
    useEffect(() => {
        if (wasRunning.current && !isRunning) {
            // What was asked while it ran may be from before the end.
            void queries.invalidateQueries({ queryKey: ["execution", execution.id, "tasks"] });
            void queries.invalidateQueries({ queryKey: ["executions"] });
        }
        wasRunning.current = isRunning;
    }, [isRunning, execution.id, queries]);
    const state = stateOf({
        execution,
        tasks: tasks.data ?? [],
        questions: session.data?.interrupts ?? [],
        session: session.data ?? undefined,
    });
    return { tasks, state };
}
