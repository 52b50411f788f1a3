// SPDX-License-Identifier: Apache-2.0
// One room of the list.
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { useTranslations } from "use-intl";
import type { Room } from "../../api/model";
import type { Counts } from "../../store/unread";
import { CountBadge } from "../../ui/CountBadge";
import { Time } from "../../ui/Time";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "../shell/SessionContext";
import styles from "./RoomList.module.css";
import { useRoomName } from "./useRooms";

export interface RoomRowProps {
    room: Room;
    counts: Counts | undefined;
    isOpen: boolean;
}

export const RoomRow = memo(function RoomRow({ room, counts, isOpen }: RoomRowProps) {
    const t = useTranslations("rooms");
    const { drafts } = useSession();
    useReadable(drafts.version);
    const name = useRoomName()(room);
    const isUnread = (counts?.unread ?? 0) > 0;
    const hasDraft = !isOpen && drafts.get(room.id, "") !== "";
    return (
        <li data-unread={isUnread ? room.id : undefined}>
            <Link
                to="/rooms/$roomId"
                params={{ roomId: room.id }}
                search={(held) => ("show" in held && held.show ? { show: held.show } : {})}
                className={`${styles.row} ${isUnread ? styles.unread : ""}`}
                aria-current={isOpen ? "page" : undefined}
            >
                <span className={styles.words}>
                    <span className={styles.name}>{name}</span>
                    <span className={styles.meta}>
                        <Time at={room.last_activity_at} as="distance" />
                        {room.status !== "active" && <span>{t(room.status)}</span>}
                        {hasDraft && <span className={styles.draft}>{t("draft")}</span>}
                    </span>
                </span>
                {counts && <CountBadge counts={counts} />}
            </Link>
        </li>
    );
});
