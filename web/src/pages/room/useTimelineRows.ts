// SPDX-License-Identifier: Apache-2.0
// The rows of the open room, and the messages that others reply to.
import { useMemo } from "react";
import { buildRows } from "../../store/rows";
import { noRuns, shapeOf } from "../../store/runRows";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "../shell/SessionContext";
import { useOpenRoom } from "./RoomContext";
import { useAgentView } from "./useAgentView";
import { useDayOf } from "./useDayOf";

export function useTimelineRows() {
    const session = useSession();
    const { room, ownId } = useOpenRoom();
    const { timeline, line } = useReadable(room.state);
    const outbox = useReadable(session.outbox.entries);
    const dayOf = useDayOf();
    const view = useAgentView() ?? noRuns;
    const shape = shapeOf(view);
    // Words that come do not make rows: who shows them looks them up.
    const runs = useMemo(() => view, [shape]);
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
