// SPDX-License-Identifier: Apache-2.0
// What the agent of the open room does, for the parts of the room that show it.
import { type AgentView, activeRun } from "../../store/agentActivity";
import { Observable } from "../../store/observable";
import { useReadable } from "../../ui/useReadable";
import { useOpenRoom } from "./RoomContext";

const none = new Observable<AgentView | undefined>(undefined);

/** Undefined: no agent drives the room. */
export function useAgentView(): AgentView | undefined {
    const { agent } = useOpenRoom();
    return useReadable<AgentView | undefined>(agent?.state ?? none);
}

/** The run that goes on, and whether this page asked it to end. */
export function useActiveRun() {
    const view = useAgentView();
    const active = view && activeRun(view);
    return active && { ...active, isStopping: view.stopped.has(active.id) };
}
