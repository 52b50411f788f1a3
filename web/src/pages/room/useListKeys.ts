// SPDX-License-Identifier: Apache-2.0
// Walking the messages by keys: the list is one stop, arrows move inside, letters act on the message.
import type { KeyboardEvent } from "react";
import type { RoomEvent } from "../../api/model";
import { problemOf } from "../../api/problem";
import type { Row } from "../../store/rows";
import { announce } from "../../ui/announce";
import { isLetterKeyMeant } from "../../ui/letterKeys";
import { useOpenRoom } from "./RoomContext";
import type { TimelineView } from "./useTimelineView";

export interface ListKeysOptions {
    rows: readonly Row[];
    view: TimelineView;
    focused: string | undefined;
    setFocused: (key: string) => void;
    react: (event: RoomEvent, row: HTMLElement) => void;
}

export function useListKeys({ rows, view, focused, setFocused, react }: ListKeysOptions) {
    const { room, openThread, composers, folds } = useOpenRoom();

    /** What somebody said or did is walked; lines between are passed over. */
    function next(from: number, step: 1 | -1): number | undefined {
        for (let index = from + step; index >= 0 && index < rows.length; index += step) {
            const kind = rows[index]?.kind;
            if (kind !== undefined && kind !== "day" && kind !== "unread") {
                return index;
            }
        }
        return undefined;
    }

    function focusRow(index: number): void {
        const row = rows[index];
        if (!row) {
            return;
        }
        setFocused(row.key);
        view.virtualizer.scrollToIndex(index, { align: "auto" });
        // The row may only come into being with this scroll.
        requestAnimationFrame(() => {
            view.scroller.current
                ?.querySelector<HTMLElement>(`[data-index="${index}"]`)
                ?.focus({ preventScroll: true });
        });
    }

    function walk(step: 1 | -1): void {
        const at = rows.findIndex((row) => row.key === focused);
        const to = next(at < 0 ? rows.length : at, step);
        if (to !== undefined) {
            focusRow(to);
        }
    }

    return (key: KeyboardEvent<HTMLElement>): void => {
        const target = key.target as HTMLElement;
        const row = rows.find((each) => each.key === focused);
        const isOnRow = target.dataset.rowFocus !== undefined;
        const isLetter = isLetterKeyMeant(key.nativeEvent);
        const pressed = key.key;
        if (pressed === "Escape") {
            composers.timeline.current?.focus();
            return;
        }
        if (!isOnRow && !isLetter) {
            return;
        }
        if ((isOnRow && pressed === "ArrowUp") || (isLetter && pressed === "k")) {
            walk(-1);
        } else if ((isOnRow && pressed === "ArrowDown") || (isLetter && pressed === "j")) {
            walk(1);
        } else if (isOnRow && pressed === "End") {
            view.toEnd();
            focusRow(rows.length - 1);
        } else if (
            isOnRow &&
            pressed === "Enter" &&
            target === key.currentTarget.ownerDocument.activeElement
        ) {
            target.querySelector<HTMLElement>("button")?.focus();
        } else if (row?.kind === "message" && isLetter && (pressed === "t" || pressed === "r")) {
            openThread(row.event.parent_event_id || row.event.id);
        } else if (row?.kind === "message" && isLetter && pressed === "e") {
            const button = view.scroller.current?.querySelector<HTMLElement>(
                `[data-event-id="${CSS.escape(row.event.id)}"]`,
            );
            if (button) {
                react(row.event, button);
            }
        } else if (
            (row?.kind === "thinking" || row?.kind === "call") &&
            isLetter &&
            pressed === "o"
        ) {
            folds.toggle(row.key);
        } else if (row?.kind === "message" && isLetter && pressed === "u") {
            room.markUnreadFrom(row.event.index).catch((thrown: unknown) =>
                announce(problemOf(thrown).message),
            );
        } else {
            return;
        }
        key.preventDefault();
    };
}
