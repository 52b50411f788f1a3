// SPDX-License-Identifier: Apache-2.0
// One line of the timeline, whatever it is.
import { lazy, Suspense } from "react";
import { useTranslations } from "use-intl";
import type { RoomEvent } from "../../api/model";
import type { Row } from "../../store/rows";
import { DaySeparator } from "./DaySeparator";
import type { OpenMenu } from "./MessageMenu";
import { MessageRow } from "./MessageRow";
import { Notice } from "./Notice";
import { PendingRow } from "./PendingRow";
import styles from "./Separators.module.css";

/** Most rooms have no agent: what shows its lines comes with the first of them. */
const AgentRow = lazy(() => import("./AgentRow"));

export interface TimelineRowProps {
    row: Row;
    roots: ReadonlyMap<string, RoomEvent>;
    onMenu: (open: OpenMenu) => void;
}

export function TimelineRow({ row, roots, onMenu }: TimelineRowProps) {
    const t = useTranslations("room");
    switch (row.kind) {
        case "day":
            return <DaySeparator at={row.at} />;
        case "unread":
            return <h2 className={styles.unread}>{t("newLine", { count: row.count })}</h2>;
        case "message":
            return (
                <MessageRow
                    event={row.event}
                    isContinued={row.isContinued}
                    replies={row.replies}
                    root={roots.get(row.event.parent_event_id)}
                    place="timeline"
                    onMenu={onMenu}
                />
            );
        case "notice":
            return <Notice event={row.event} />;
        case "live":
        case "thinking":
        case "call":
        case "takeover":
        case "ended":
            return (
                <Suspense>
                    <AgentRow row={row} />
                </Suspense>
            );
        case "pending":
            return <PendingRow entry={row.entry} isContinued={row.isContinued} />;
    }
}
