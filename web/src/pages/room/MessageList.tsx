// SPDX-License-Identifier: Apache-2.0
// The timeline on the screen: only what is visible is there, and nothing moves what is being read.
import { useSearch } from "@tanstack/react-router";
import { ArrowDown, ArrowUp } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import { ProblemNote } from "../../ui/ProblemNote";
import { useReadable } from "../../ui/useReadable";
import styles from "./MessageList.module.css";
import type { OpenMenu } from "./MessageMenu";
import { isOpenToWrite, useOpenRoom } from "./RoomContext";
import { TimelineRow } from "./TimelineRow";
import { useArrivalNotice } from "./useArrivalNotice";
import { useListKeys } from "./useListKeys";
import { useReactionNotice } from "./useReactionNotice";
import { useTimelineRows } from "./useTimelineRows";
import { useTimelineView } from "./useTimelineView";

/** Comes with the first message that somebody asks it of. */
const MessageMenu = lazy(() =>
    import("./MessageMenu").then(({ MessageMenu }) => ({ default: MessageMenu })),
);

function EmptyRoom() {
    const t = useTranslations("room");
    const { detail } = useOpenRoom();
    return (
        <div className={styles.empty}>
            {isOpenToWrite(detail) && <p>{t("empty")}</p>}
            <p className={styles.help}>{t("emptyHelp")}</p>
        </div>
    );
}

export function MessageList() {
    const t = useTranslations("room");
    const { room, showEnd } = useOpenRoom();
    const { timeline, isLoadingOlder, olderProblem } = useReadable(room.state);
    const { at } = useSearch({ strict: false });
    const { rows, roots } = useTimelineRows();
    const [focused, setFocused] = useState<string>();
    const [menu, setMenu] = useState<OpenMenu>();
    const view = useTimelineView(rows, focused);
    showEnd.current = view.toEnd;
    useArrivalNotice(timeline.events, view.isAtEnd);
    useReactionNotice();
    const keys = useListKeys({
        rows,
        view,
        focused,
        setFocused,
        react: (event, button) => setMenu({ what: "react", event, button }),
    });
    const { virtualizer, scroller } = view;
    const items = virtualizer.getVirtualItems();
    const isFocusShown = items.some((item) => item.key === focused);
    const tabStop = isFocusShown ? focused : items.at(-1)?.key;

    return (
        <div className={styles.frame}>
            <div ref={scroller} className={styles.scroller} data-testid="timeline">
                {rows.length === 0 && !timeline.hasOlder && <EmptyRoom />}
                {!timeline.hasOlder && rows.length > 0 && (
                    <p className={styles.beginning}>{t("beginning")}</p>
                )}
                <div
                    role="list"
                    aria-label={t("timeline")}
                    className={styles.rows}
                    style={{ height: virtualizer.getTotalSize() }}
                    onKeyDown={keys}
                >
                    {items.map((item) => {
                        const row = rows[item.index];
                        return row ? (
                            <div
                                key={item.key}
                                ref={virtualizer.measureElement}
                                role="listitem"
                                aria-posinset={item.index + 1}
                                aria-setsize={rows.length}
                                className={styles.row}
                                style={{ transform: `translateY(${item.start}px)` }}
                                tabIndex={row.key === tabStop ? 0 : -1}
                                data-row-focus=""
                                data-index={item.index}
                                data-event-index={
                                    row.kind === "message" ? row.event.index : undefined
                                }
                                data-linked={
                                    row.kind === "message" && row.event.index === at
                                        ? ""
                                        : undefined
                                }
                                data-event-id={row.kind === "message" ? row.event.id : undefined}
                                onFocus={() => setFocused(row.key)}
                            >
                                <TimelineRow row={row} roots={roots} onMenu={setMenu} />
                            </div>
                        ) : null;
                    })}
                </div>
            </div>
            {isLoadingOlder && (
                <p role="status" className={styles.loading}>
                    {t("loadingOlder")}
                </p>
            )}
            {olderProblem && (
                <div className={styles.older}>
                    <ProblemNote problem={olderProblem} onRetry={() => void room.loadOlder()} />
                </div>
            )}
            {view.isUnreadAbove && (
                <button
                    type="button"
                    className={`${styles.chip} ${styles.above}`}
                    onClick={view.toUnread}
                >
                    <ArrowUp size={16} strokeWidth={1.75} aria-hidden="true" />
                    {t("firstUnread")}
                </button>
            )}
            {!view.isAtEnd && (
                <button
                    type="button"
                    className={`${styles.chip} ${styles.newest}`}
                    onClick={view.toEnd}
                >
                    <ArrowDown size={16} strokeWidth={1.75} aria-hidden="true" />
                    {view.arrived > 0 ? t("newestCount", { count: view.arrived }) : t("newest")}
                </button>
            )}
            <Suspense>
                {menu && <MessageMenu open={menu} place="timeline" onOpen={setMenu} />}
            </Suspense>
        </div>
    );
}
