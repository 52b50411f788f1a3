// SPDX-License-Identifier: Apache-2.0
// The room list, and beside it the room that is open; on a phone one or the other.
import { Outlet, useRouterState } from "@tanstack/react-router";
import { RoomList } from "./RoomList";
import styles from "./RoomsPage.module.css";
import { openRoomId } from "./useNextUnread";

export function RoomsPage() {
    const here = useRouterState({ select: (state) => openRoomId(state.location.pathname) });
    return (
        <div className={`${styles.page} ${here === "" ? "" : styles.open}`}>
            <RoomList here={here} />
            <main id="main" className={styles.main} tabIndex={-1}>
                <Outlet />
            </main>
        </div>
    );
}
