// SPDX-License-Identifier: Apache-2.0
// The address of a room: every room gets a view of its own, nothing of the one before stays.
import { getRouteApi } from "@tanstack/react-router";
import { RoomView } from "./RoomView";

const route = getRouteApi("/shell/rooms/$roomId");

export function RoomPage() {
    const { roomId } = route.useParams();
    return <RoomView key={roomId} roomId={roomId} />;
}
