// SPDX-License-Identifier: Apache-2.0
// What was passed over without being delivered, and why.
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useTranslations } from "use-intl";
import { fetchSkips } from "../../api/calls";
import table from "../../ui/Table.module.css";
import { Time } from "../../ui/Time";
import { LiveState } from "./LiveState";
import styles from "./Ops.module.css";
import { useLive } from "./useLive";

export function Skips() {
    const t = useTranslations("ops");
    const query = useLive("skips", fetchSkips);
    const skips = query.data ?? [];
    return (
        <>
            {query.data && skips.length === 0 && (
                <p className={styles.fine}>
                    <CircleCheck size={20} strokeWidth={1.75} aria-hidden="true" />
                    {t("skipsFine")}
                </p>
            )}
            {skips.length > 0 && (
                <table className={table.table} aria-label={t("skips")}>
                    <thead>
                        <tr>
                            <th scope="col">{t("when")}</th>
                            <th scope="col">{t("room")}</th>
                            <th scope="col">{t("events")}</th>
                            <th scope="col">{t("reason")}</th>
                            <th scope="col">{t("state")}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {skips.map((skip) => (
                            <tr key={skip.id}>
                                <td data-label={t("when")}>
                                    <Time at={skip.created_at} as="moment" />
                                </td>
                                <td data-label={t("room")}>
                                    <Link
                                        to="/rooms/$roomId"
                                        params={{ roomId: skip.room_id }}
                                        search={{ at: skip.from_index }}
                                    >
                                        {skip.room_id}
                                    </Link>
                                </td>
                                <td data-label={t("events")}>
                                    {t("range", { from: skip.from_index, to: skip.to_index })}
                                </td>
                                <td data-label={t("reason")}>
                                    <code>{skip.reason}</code>
                                </td>
                                <td data-label={t("state")}>
                                    {t(skip.is_replayed ? "replayed" : "notReplayed")}
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
