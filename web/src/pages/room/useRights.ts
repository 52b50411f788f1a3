// SPDX-License-Identifier: Apache-2.0
// What the person may do with the open room: its owner and whoever operates the server may change it.
import { useSession } from "../shell/SessionContext";
import { useOpenRoom } from "./RoomContext";

export function useRights() {
    const { me } = useSession();
    const { participants, ownId } = useOpenRoom();
    const own = participants.get(ownId);
    return {
        mayManage: me.user.role !== "member" || own?.role === "owner",
        /** Only these may see who there is to be added. */
        mayAdd: me.user.role !== "member",
        mayLeave: own?.status === "active",
    };
}
