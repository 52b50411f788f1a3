// SPDX-License-Identifier: Apache-2.0
// Marks every room read. The counts go at once; the server is told when nobody took it back.
import { useCallback } from "react";
import { useTranslations } from "use-intl";
import { setReadMarker } from "../../api/calls";
import type { Session } from "../../store/session";
import { showToast } from "../../ui/toast";
import { useRooms } from "./useRooms";

export function useMarkAllRead(session: Session): () => void {
    const t = useTranslations("undo");
    const { rooms } = useRooms(session);
    return useCallback(() => {
        const marked = rooms
            .map((room) => ({
                id: room.id,
                index: room.latest_index,
                was: session.unread.of(room.id),
            }))
            .filter(({ was }) => was.unread > 0);
        if (marked.length === 0) {
            return;
        }
        for (const { id } of marked) {
            session.unread.set(id, { unread: 0, mentions: 0 });
        }
        showToast({
            text: t("allRead"),
            undo: {
                label: t("undo"),
                act: () => {
                    for (const { id, was } of marked) {
                        session.unread.set(id, was);
                    }
                },
            },
            onGone: () => {
                for (const { id, index, was } of marked) {
                    void setReadMarker(id, { index }).catch(() => session.unread.set(id, was));
                }
            },
        });
    }, [rooms, session, t]);
}
