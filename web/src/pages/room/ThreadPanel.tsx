// SPDX-License-Identifier: Apache-2.0
// A thread beside the timeline: the message it hangs on, the replies, a field of its own.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { fetchThread, setReadMarker } from "../../api/calls";
import type { RoomEvent } from "../../api/model";
import { problemOf } from "../../api/problem";
import { buildRows } from "../../store/rows";
import { ProblemNote } from "../../ui/ProblemNote";
import { isTouch } from "../../ui/touch";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "../shell/SessionContext";
import { Composer } from "./Composer";
import { DaySeparator } from "./DaySeparator";
import type { OpenMenu } from "./MessageMenu";
import { MessageRow } from "./MessageRow";
import { Panel } from "./Panel";
import { PendingRow } from "./PendingRow";
import { useOpenRoom } from "./RoomContext";
import styles from "./ThreadPanel.module.css";
import { useDayOf } from "./useDayOf";

/** Comes with the first message that somebody asks it of. */
const MessageMenu = lazy(() =>
    import("./MessageMenu").then(({ MessageMenu }) => ({ default: MessageMenu })),
);

const NEAR_END_PX = 48;

/** Asked for once, and from then on what the timeline receives of it: that is always the newer one. */
function useThreadEvents(rootId: string) {
    const { room } = useOpenRoom();
    const { timeline } = useReadable(room.state);
    const query = useQuery({
        queryKey: ["thread", room.roomId, rootId],
        queryFn: () => fetchThread(room.roomId, rootId),
    });
    const events = useMemo(() => {
        const byId = new Map<string, RoomEvent>();
        for (const event of query.data ?? []) {
            if (event.id === rootId || event.type === "message") {
                byId.set(event.id, event);
            }
        }
        for (const event of timeline.events) {
            if (event.id === rootId || event.parent_event_id === rootId) {
                byId.set(event.id, event);
            }
        }
        return [...byId.values()].sort((a, b) => a.index - b.index);
    }, [query.data, timeline.events, rootId]);
    return { query, events };
}

export function ThreadPanel({ rootId, onClose }: { rootId: string; onClose: () => void }) {
    const t = useTranslations("thread");
    const session = useSession();
    const { room, ownId, composers } = useOpenRoom();
    const { query, events } = useThreadEvents(rootId);
    const outbox = useReadable(session.outbox.entries);
    const dayOf = useDayOf();
    const [menu, setMenu] = useState<OpenMenu>();
    const scroller = useRef<HTMLElement>(null);
    const isNearEnd = useRef(true);

    const rows = useMemo(() => {
        const pending = outbox.filter(
            (entry) => entry.roomId === room.roomId && entry.thread === rootId,
        );
        return buildRows({ events, pending, line: Number.POSITIVE_INFINITY, ownId, dayOf });
    }, [events, outbox, room, rootId, ownId, dayOf]);

    useLayoutEffect(() => {
        if (isNearEnd.current) {
            scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
        }
    }, [rows]);

    const newest = events.at(-1)?.index;
    useEffect(() => {
        if (newest !== undefined && document.hasFocus()) {
            // A receipt that is lost costs nothing: the next one covers it.
            void setReadMarker(room.roomId, { index: newest, thread: rootId }).catch(
                () => undefined,
            );
        }
    }, [newest, room, rootId]);

    useEffect(() => {
        if (!isTouch()) {
            composers.thread.current?.focus();
        }
    }, [composers]);

    return (
        <Panel title={t("title")} onClose={onClose}>
            {query.isError && events.length === 0 && (
                <div className={styles.failed}>
                    <p>{t("gone")}</p>
                    <ProblemNote
                        problem={problemOf(query.error)}
                        onRetry={() => void query.refetch()}
                    />
                </div>
            )}
            <section
                ref={scroller}
                className={styles.list}
                aria-label={t("title")}
                tabIndex={0}
                onScroll={({ currentTarget: at }) => {
                    isNearEnd.current =
                        at.scrollHeight - at.scrollTop - at.clientHeight < NEAR_END_PX;
                }}
            >
                {rows.map((row) => {
                    switch (row.kind) {
                        case "day":
                            return <DaySeparator key={row.key} at={row.at} />;
                        case "message":
                            return (
                                <MessageRow
                                    key={row.key}
                                    event={row.event}
                                    isContinued={row.isContinued}
                                    replies={0}
                                    root={undefined}
                                    place="thread"
                                    onMenu={setMenu}
                                />
                            );
                        case "pending":
                            return (
                                <PendingRow
                                    key={row.key}
                                    entry={row.entry}
                                    isContinued={row.isContinued}
                                />
                            );
                        default:
                            return null;
                    }
                })}
            </section>
            <Composer place="thread" thread={rootId} name="" />
            <Suspense>
                {menu && <MessageMenu open={menu} place="thread" onOpen={setMenu} />}
            </Suspense>
        </Panel>
    );
}
