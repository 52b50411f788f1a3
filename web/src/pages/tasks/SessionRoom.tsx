// SPDX-License-Identifier: Apache-2.0
// The room of a workflow's or an execution's session, as a part of its page.
import type { AgentRoute } from "../../api/agent";
import { RoomView } from "../room/RoomView";
import { useSession } from "../shell/SessionContext";

export interface SessionRoomProps {
    roomId: string;
    /** Under which address its agent is asked. */
    agentRoute: AgentRoute;
    /** Who made the workflow, or started the execution: that person and administrators ask the agent. */
    owner: string;
}

export default function SessionRoom({ roomId, agentRoute, owner }: SessionRoomProps) {
    const { me } = useSession();
    const mayDrive = owner === me.user.id || me.user.role === "admin";
    return (
        <RoomView
            key={roomId}
            roomId={roomId}
            agentRoute={agentRoute}
            mayDrive={mayDrive}
            as="part"
        />
    );
}
