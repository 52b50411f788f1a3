// SPDX-License-Identifier: Apache-2.0
// Takes a lease from its holder: what else falls is shown first, and a holder that does not let go loses its session only
// after that was asked for in so many words.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { previewLeaseRelease, releaseLease } from "../../api/calls";
import type { LeaseRelease } from "../../api/model";
import { problemOf } from "../../api/problem";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { showToast } from "../../ui/toast";
import { useAction } from "../../ui/useAction";
import styles from "./Ops.module.css";

function outcomeOf(released: LeaseRelease) {
    if (released.state === "told") {
        return "leases.told";
    }
    return released.state === "session_ended" ? "leases.sessionEnded" : "leases.releasedNow";
}

export function TakeLeaseDialog({ name, onClose }: { name: string; onClose: () => void }) {
    const t = useTranslations();
    const queries = useQueryClient();
    const [reason, setReason] = useState("");
    const { isBusy, problem, run } = useAction();
    const preview = useQuery({
        queryKey: ["ops", "lease preview", name],
        queryFn: () => previewLeaseRelease(name),
        staleTime: 0,
    });
    const isKept = problem?.code === "LEASE_NOT_RELEASED";

    async function take(confirm: boolean): Promise<void> {
        const done = await run(async () => {
            const released = await releaseLease(name, reason.trim(), confirm);
            showToast({ text: t(outcomeOf(released), { name }) });
        });
        await queries.invalidateQueries({ queryKey: ["ops"] });
        if (done) {
            onClose();
        }
    }

    return (
        <Dialog title={t("leases.takeNamed", { name })} onClose={onClose}>
            {preview.isPending && <Skeleton rows={2} />}
            {preview.isError && <ProblemNote problem={problemOf(preview.error)} />}
            {preview.data && (
                <>
                    <p>
                        {t("leases.consequence", { consequence: preview.data.consequence })}{" "}
                        {t("leases.next", { count: preview.data.waiters })}
                    </p>
                    <Field
                        label={t("leases.reason")}
                        help={t("leases.reasonHelp")}
                        name="reason"
                        value={reason}
                        onChange={setReason}
                        autoFocus
                    />
                </>
            )}
            {problem && <ProblemNote problem={problem} />}
            {isKept && preview.data && (
                <>
                    <p>{t("leases.kept", { count: preview.data.lost_with_session })}</p>
                    {preview.data.lost_names.length > 0 && (
                        <ul className={styles.lost}>
                            {preview.data.lost_names.map((lost) => (
                                <li key={lost}>{lost}</li>
                            ))}
                        </ul>
                    )}
                </>
            )}
            <DialogActions>
                <Button onPress={onClose}>{t("dialog.cancel")}</Button>
                <Button
                    look="bad"
                    isDisabled={isBusy || !preview.data || reason.trim() === ""}
                    onPress={() => void take(isKept)}
                >
                    {t(isKept ? "leases.endSession" : "leases.take")}
                </Button>
            </DialogActions>
        </Dialog>
    );
}
