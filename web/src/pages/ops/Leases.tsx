// SPDX-License-Identifier: Apache-2.0
// Who holds what in the whole deployment, since when, and who waits for it; an operator takes one away.
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { fetchLeases } from "../../api/calls";
import type { Lease, LeaseView } from "../../api/model";
import { Button } from "../../ui/Button";
import { Segments } from "../../ui/Segments";
import table from "../../ui/Table.module.css";
import { LiveState } from "./LiveState";
import styles from "./Ops.module.css";
import { TakeLeaseDialog } from "./TakeLeaseDialog";
import { useLive } from "./useLive";

const tones: Record<Lease["state"], string> = { held: "ok", suspect: "warn", lost: "bad" };

function LeaseRow({ lease, onTake }: { lease: Lease; onTake: () => void }) {
    const t = useTranslations("leases");
    const format = useFormatter();
    return (
        <tr>
            <td>
                <span className={table.words}>
                    <span className={table.name}>{lease.name}</span>
                    <span className={table.small}>{t(lease.state)}</span>
                </span>
            </td>
            <td data-label={t("holder")}>
                <span className={table.state} data-tone={tones[lease.state]}>
                    {lease.worker.host || lease.worker.incarnation}
                </span>
            </td>
            <td data-label={t("age")} className={table.number}>
                {format.number(lease.age_seconds, {
                    style: "unit",
                    unit: "second",
                    unitDisplay: "narrow",
                    maximumFractionDigits: lease.age_seconds < 10 ? 1 : 0,
                })}
            </td>
            <td data-label={t("waiters")} className={table.number}>
                {lease.waiters}
            </td>
            <td className={table.act}>
                <Button aria-label={t("takeNamed", { name: lease.name })} onPress={onTake}>
                    {t("take")}
                </Button>
            </td>
        </tr>
    );
}

export function Leases() {
    const t = useTranslations("leases");
    const [view, setView] = useState<LeaseView>("waiting");
    const [taken, setTaken] = useState<string>();
    const query = useLive(`leases ${view}`, () => fetchLeases(view));
    const leases = query.data?.leases ?? [];
    const held = (query.data?.counts ?? []).reduce((sum, one) => sum + one.held, 0);
    return (
        <>
            <Segments
                label={t("view")}
                value={view}
                options={[
                    { value: "waiting", label: t("viewWaiting") },
                    { value: "all", label: t("viewAll") },
                ]}
                onChange={setView}
            />
            {query.data && leases.length === 0 && (
                <p className={styles.fine}>
                    <CircleCheck size={20} strokeWidth={1.75} aria-hidden="true" />
                    {t("fine", { count: held })}
                </p>
            )}
            {leases.length > 0 && (
                <table className={table.table} aria-label={t("title")}>
                    <thead>
                        <tr>
                            <th scope="col">{t("name")}</th>
                            <th scope="col">{t("holder")}</th>
                            <th scope="col" className={table.number}>
                                {t("age")}
                            </th>
                            <th scope="col" className={table.number}>
                                {t("waiters")}
                            </th>
                            <td />
                        </tr>
                    </thead>
                    <tbody>
                        {leases.map((lease) => (
                            <LeaseRow
                                key={lease.name}
                                lease={lease}
                                onTake={() => setTaken(lease.name)}
                            />
                        ))}
                    </tbody>
                </table>
            )}
            <LiveState query={query} />
            {taken !== undefined && (
                <TakeLeaseDialog name={taken} onClose={() => setTaken(undefined)} />
            )}
        </>
    );
}
