// SPDX-License-Identifier: Apache-2.0
// Workflows as the server has them. One that its agent works on is asked for again until it is done.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { Workflow } from "../../api/model";
import { fetchVersions, fetchWorkflow, fetchWorkflows } from "../../api/workflows";
import { livePolling, untilNextLook } from "../../ui/livePolling";

const isGenerating = (workflow: Workflow) => workflow.status === "generating";

export function useWorkflows(isWanted = true) {
    const query = useInfiniteQuery({
        queryKey: ["workflows"],
        queryFn: ({ pageParam }) => fetchWorkflows(pageParam),
        initialPageParam: undefined as string | undefined,
        getNextPageParam: (page) => page.next,
        enabled: isWanted,
        refetchInterval: ({ state }) =>
            state.data?.pages.some((page) => page.items.some(isGenerating)) && untilNextLook(),
    });
    return { ...query, workflows: query.data?.pages.flatMap((page) => page.items) ?? [] };
}

/** Looked at again all the time: the agent of its session and other people change it. */
export function useWorkflow(workflowId: string) {
    return useQuery({
        queryKey: ["workflow", workflowId],
        queryFn: () => fetchWorkflow(workflowId),
        ...livePolling,
    });
}

export function useVersions(workflowId: string, published: number) {
    return useQuery({
        // Another number has another list.
        queryKey: ["workflow", workflowId, "versions", published],
        queryFn: () => fetchVersions(workflowId),
    });
}
