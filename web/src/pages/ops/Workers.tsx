// SPDX-License-Identifier: Apache-2.0
// The processes that serve: since when, in which state, of which version.
import { useTranslations } from "use-intl";
import { fetchWorkers } from "../../api/calls";
import type { Worker } from "../../api/model";
import table from "../../ui/Table.module.css";
import { Time } from "../../ui/Time";
import { LiveState } from "./LiveState";
import { useLive } from "./useLive";

const signs: Record<Worker["state"], { mark: string; tone: string }> = {
    live: { mark: "●", tone: "ok" },
    draining: { mark: "◔", tone: "warn" },
    dead: { mark: "○", tone: "bad" },
};

export function Workers() {
    const t = useTranslations("ops");
    const query = useLive("workers", fetchWorkers);
    return (
        <>
            {query.data && (
                <table className={table.table} aria-label={t("workers")}>
                    <thead>
                        <tr>
                            <th scope="col">{t("worker")}</th>
                            <th scope="col">{t("state")}</th>
                            <th scope="col">{t("since")}</th>
                            <th scope="col">{t("version")}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {query.data.map((worker) => (
                            <tr key={worker.incarnation}>
                                <td>
                                    <span className={table.words}>
                                        <span className={table.name}>
                                            {worker.host || worker.incarnation}
                                            {worker.is_self && (
                                                <span className={table.small}> ({t("self")})</span>
                                            )}
                                        </span>
                                        <span className={table.small}>{worker.incarnation}</span>
                                    </span>
                                </td>
                                <td data-label={t("state")}>
                                    <span
                                        className={table.state}
                                        data-tone={signs[worker.state].tone}
                                    >
                                        <span aria-hidden="true">{signs[worker.state].mark}</span>{" "}
                                        {t(worker.state)}
                                    </span>
                                </td>
                                <td data-label={t("since")}>
                                    <Time at={worker.started_at} as="moment" />
                                </td>
                                <td data-label={t("version")}>{worker.version}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            )}
            <LiveState query={query} />
        </>
    );
}
