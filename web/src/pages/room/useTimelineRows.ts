// SPDX-License-Identifier: Apache-2.0
// The rows of the open room, and the messages that others reply to.
import { useMemo, useSyncExternalStore } from "react";
import { buildRows } from "../../store/rows";
import { noRuns, type RunSources, shapeOf } from "../../store/runRows";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "../shell/SessionContext";
import { useOpenRoom } from "./RoomContext";
import { useDayOf } from "./useDayOf";

const unwatched = () => () => undefined;

/** Words that come do not make rows: who shows them looks them up. */
function useRuns(): RunSources {
    const { agent } = useOpenRoom();
    const read = () => agent?.state.get() ?? noRuns;
    const shape = useSyncExternalStore(agent?.state.watch ?? unwatched, () => shapeOf(read()));
    return useMemo(read, [agent, shape]);
}

export function useTimelineRows() {
    const session = useSession();
    const { room, ownId } = useOpenRoom();
    const { timeline, line } = useReadable(room.state);
    const outbox = useReadable(session.outbox.entries);
    const dayOf = useDayOf();
    const runs = useRuns();
    const rows = useMemo(() => {
        // An event may be here before its answer took the entry out of the outbox.
        const arrived = new Set(timeline.events.map((event) => event.idempotency_key));
        const pending = outbox.filter(
            (entry) => entry.roomId === room.roomId && !arrived.has(entry.key),
        );
        const { events, seams, oldest, hasOlder } = timeline;
        const from = hasOlder ? oldest : 0;
        return buildRows({ events, pending, runs, line, seams, oldest: from, ownId, dayOf });
    }, [timeline, outbox, room, runs, line, ownId, dayOf]);
    const roots = useMemo(
        () => new Map(timeline.events.map((event) => [event.id, event])),
        [timeline.events],
    );
    return { rows, roots };
}
