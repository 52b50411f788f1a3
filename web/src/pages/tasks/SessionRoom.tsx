// SPDX-License-Identifier: Apache-2.0
// The room of a workflow's or an execution's session, as a part of its page.
import { RoomView } from "../room/RoomView";

export interface SessionRoomProps {
    roomId: string;
    title: string;
    /** Under which address its agent is reached: the room's own one serves as long as the view asks for no other. */
    agentRoute: { kind: "workflow" | "execution"; id: string };
}

export default function SessionRoom({ roomId, title }: SessionRoomProps) {
    return <RoomView key={roomId} roomId={roomId} pageTitle={title} />;
}
