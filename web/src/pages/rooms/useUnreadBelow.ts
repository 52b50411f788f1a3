// SPDX-License-Identifier: Apache-2.0
// How many unread rooms lie below the visible part of the list, and a way to the first of them.
import { type RefObject, useEffect, useState } from "react";
import type { Room } from "../../api/model";
import type { Counts } from "../../store/unread";

export function useUnreadBelow(
    list: RefObject<HTMLUListElement | null>,
    counts: ReadonlyMap<string, Counts>,
    rooms: readonly Room[],
): { count: number; show: () => void } {
    const [below, setBelow] = useState<readonly string[]>([]);
    useEffect(() => {
        const place = list.current;
        if (!place) {
            return;
        }
        const look = () => {
            const end = place.getBoundingClientRect().bottom;
            const rows = [...place.querySelectorAll<HTMLElement>("[data-unread]")];
            const next = rows
                .filter((row) => row.getBoundingClientRect().top >= end)
                .map((row) => row.dataset.unread ?? "");
            setBelow((held) => (held.join() === next.join() ? held : next));
        };
        look();
        place.addEventListener("scroll", look, { passive: true });
        const observer = new ResizeObserver(look);
        observer.observe(place);
        return () => {
            place.removeEventListener("scroll", look);
            observer.disconnect();
        };
    }, [list, counts, rooms.length]);
    return {
        count: below.length,
        show: () =>
            list.current
                ?.querySelector(`[data-unread="${CSS.escape(below[0] ?? "")}"]`)
                ?.scrollIntoView({ block: "nearest" }),
    };
}
