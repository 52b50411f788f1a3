// SPDX-License-Identifier: Apache-2.0
// The lanes that lag, the furthest behind first; the healthy ones are a number.
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useTranslations } from "use-intl";
import { fetchLanes } from "../../api/calls";
import table from "../../ui/Table.module.css";
import { useOrderedRooms, useRoomName } from "../rooms/useRooms";
import { useSteadyOrder } from "../rooms/useSteadyOrder";
import { useSession } from "../shell/SessionContext";
import { LiveState } from "./LiveState";
import styles from "./Ops.module.css";
import { useLive } from "./useLive";

/** More rows than anybody reads in an emergency. */
const SHOWN = 100;

export function Lanes() {
    const t = useTranslations("ops");
    const rooms = useOrderedRooms(useSession());
    const nameOf = useRoomName();
    const query = useLive("lanes", fetchLanes);
    const lanes = query.data?.lanes ?? [];
    const sorted = lanes
        .filter((lane) => lane.lag > 0 || lane.queued > 0)
        .sort((a, b) => b.lag - a.lag)
        .slice(0, SHOWN)
        .map((lane) => ({ ...lane, id: lane.room_id }));
    // Whoever points at a row finds it there: the order waits until the pointer is gone.
    const { steady: behind, hold, release } = useSteadyOrder(sorted);
    return (
        <>
            {query.data && behind.length === 0 && (
                <p className={styles.fine}>
                    <CircleCheck size={20} strokeWidth={1.75} aria-hidden="true" />
                    {lanes.length === 0 ? t("lanesNone") : t("lanesFine", { count: lanes.length })}
                </p>
            )}
            {behind.length > 0 && (
                <table
                    className={table.table}
                    aria-label={t("lanes")}
                    onPointerEnter={hold}
                    onPointerLeave={release}
                    onFocus={hold}
                    onBlur={release}
                >
                    <thead>
                        <tr>
                            <th scope="col">{t("room")}</th>
                            <th scope="col" className={table.number}>
                                {t("lag")}
                            </th>
                            <th scope="col" className={table.number}>
                                {t("queued")}
                            </th>
                            <th scope="col" className={table.number}>
                                {t("delivered")}
                            </th>
                            <th scope="col">{t("claim")}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {behind.map((lane) => (
                            <tr key={lane.room_id}>
                                <td>
                                    <Link to="/rooms/$roomId" params={{ roomId: lane.room_id }}>
                                        {nameOf(
                                            rooms.find((room) => room.id === lane.room_id) ?? {
                                                id: lane.room_id,
                                                name: "",
                                                external_id: "",
                                            },
                                        )}
                                    </Link>
                                </td>
                                <td data-label={t("lag")} className={table.number}>
                                    {lane.lag}
                                </td>
                                <td data-label={t("queued")} className={table.number}>
                                    {lane.queued}
                                </td>
                                <td data-label={t("delivered")} className={table.number}>
                                    {t("of", {
                                        delivered: lane.delivered_index,
                                        latest: lane.latest_index,
                                    })}
                                </td>
                                <td data-label={t("claim")}>
                                    {t(lane.holds_claim ? "held" : "notHeld")}
                                </td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            )}
            <LiveState query={query} />
        </>
    );
}
