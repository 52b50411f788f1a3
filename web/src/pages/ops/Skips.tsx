// SPDX-License-Identifier: Apache-2.0
// What was passed over without being delivered, and why; an operator has it delivered once more.
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useTranslations } from "use-intl";
import { fetchSkips, replaySkip } from "../../api/calls";
import type { DeliverySkip } from "../../api/model";
import { Button } from "../../ui/Button";
import { RowProblem } from "../../ui/RowProblem";
import table from "../../ui/Table.module.css";
import { Time } from "../../ui/Time";
import { showToast } from "../../ui/toast";
import { useAction } from "../../ui/useAction";
import { LiveState } from "./LiveState";
import styles from "./Ops.module.css";
import { useLive } from "./useLive";

function SkipRow({ skip }: { skip: DeliverySkip }) {
    const t = useTranslations("ops");
    const queries = useQueryClient();
    const { isBusy, problem, run } = useAction();
    const range = { from: skip.from_index, to: skip.to_index };

    async function replay(): Promise<void> {
        await run(async () => {
            const { queued, reopened, left } = await replaySkip(skip.id);
            showToast({ text: t("replayDone", { count: queued + reopened, left }) });
        });
        await queries.invalidateQueries({ queryKey: ["ops", "skips"] });
    }

    return (
        <>
            <tr>
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
                <td data-label={t("events")}>{t("range", range)}</td>
                <td data-label={t("reason")}>
                    <code>{skip.reason}</code>
                </td>
                <td data-label={t("state")}>{t(skip.is_replayed ? "replayed" : "notReplayed")}</td>
                <td className={table.act}>
                    {!skip.is_replayed && (
                        <Button
                            aria-label={t("replayNamed", range)}
                            isDisabled={isBusy}
                            onPress={() => void replay()}
                        >
                            {t("replay")}
                        </Button>
                    )}
                </td>
            </tr>
            {problem && <RowProblem problem={problem} columns={6} />}
        </>
    );
}

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
                            <td />
                        </tr>
                    </thead>
                    <tbody>
                        {skips.map((skip) => (
                            <SkipRow key={skip.id} skip={skip} />
                        ))}
                    </tbody>
                </table>
            )}
            <LiveState query={query} />
        </>
    );
}
