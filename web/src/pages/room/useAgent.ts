// SPDX-License-Identifier: Apache-2.0
// Follows the agent of a room for as long as the view is there. Rooms without one load nothing of it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { AgentRoute } from "../../api/agent";
import { fetchAgentState } from "../../api/calls";
import type { RoomDetail } from "../../api/model";
import { type Problem, problemOf } from "../../api/problem";
import type { AgentSession } from "../../store/agentSession";
import { useSession } from "../shell/SessionContext";

export interface FoundAgent {
    agent: AgentSession | undefined;
    problem: Problem | undefined;
    retry: () => void;
}

async function findAgent(roomId: string) {
    const found = await fetchAgentState(roomId);
    if (!found) {
        return null;
    }
    const [parts] = await Promise.all([
        import("../../store/agentSession"),
        // Its rows as well, so that they are there with the first frame.
        import("./AgentRow"),
    ]);
    return { found, AgentSession: parts.AgentSession };
}

export function useAgent(
    roomId: string,
    route: AgentRoute,
    detail: RoomDetail | undefined,
): FoundAgent {
    const session = useSession();
    const queries = useQueryClient();
    const isBound = detail?.channels.some(({ kind }) => kind === "intelligence") ?? false;
    const { data, error, refetch } = useQuery({
        queryKey: ["agent", roomId],
        queryFn: () => findAgent(roomId),
        enabled: isBound || route.kind !== "room",
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 0,
    });
    const [agent, setAgent] = useState<AgentSession>();
    const { kind, id } = route;
    useEffect(() => {
        if (!data) {
            return;
        }
        const opened = new data.AgentSession({
            roomId,
            route: { kind, id },
            found: data.found,
            sayInTurn: (event) => session.sayInTurn(roomId, event),
        });
        session.openAgent = opened;
        setAgent(opened);
        opened.open();
        let asked = opened.state.get().questions;
        const unwatch = opened.state.watch(() => {
            const { questions } = opened.state.get();
            if (questions.map((each) => each.id).join() !== asked.map((each) => each.id).join()) {
                asked = questions;
                void queries.invalidateQueries({ queryKey: ["approvals"] });
            }
        });
        return () => {
            unwatch();
            session.openAgent = undefined;
            opened.close();
            setAgent(undefined);
        };
    }, [data, roomId, kind, id, session, queries]);
    return {
        agent,
        problem: error ? problemOf(error) : undefined,
        retry: () => void refetch(),
    };
}
