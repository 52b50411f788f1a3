// SPDX-License-Identifier: Apache-2.0
// Makes a token for a program. The token is shown in the same dialog, once.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { makeToken } from "../../api/calls";
import type { UserRole } from "../../api/model";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions, DialogForm } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { ProblemNote } from "../../ui/ProblemNote";
import { SecretNote } from "../../ui/SecretNote";
import { Select } from "../../ui/Select";
import { useAction } from "../../ui/useAction";
import { useRoleOptions } from "./useRoleOptions";

const DAY_MS = 24 * 60 * 60_000;
const LASTS = ["30", "90", "365", "never"] as const;

export function NewTokenDialog({ onClose }: { onClose: () => void }) {
    const t = useTranslations();
    const queries = useQueryClient();
    const roles = useRoleOptions();
    const [name, setName] = useState("");
    const [role, setRole] = useState<UserRole>("operator");
    const [lasts, setLasts] = useState<(typeof LASTS)[number]>("90");
    const [token, setToken] = useState("");
    const { isBusy, problem, run } = useAction();

    async function make(): Promise<void> {
        const expires = new Date(Date.now() + Number(lasts) * DAY_MS).toISOString();
        const made = await makeToken({
            name: name.trim(),
            role,
            ...(lasts === "never" ? {} : { expires_at: expires }),
        });
        setToken(made.token);
        void queries.invalidateQueries({ queryKey: ["tokens"] });
    }

    if (token !== "") {
        return (
            <Dialog title={t("admin.tokenMade", { name: name.trim() })} onClose={onClose}>
                <SecretNote
                    label={t("admin.tokenLabel")}
                    text={token}
                    note={t("admin.tokenNote")}
                />
                <DialogActions>
                    <Button slot="close">{t("admin.done")}</Button>
                </DialogActions>
            </Dialog>
        );
    }
    return (
        <Dialog title={t("admin.newToken")} onClose={onClose}>
            <DialogForm id="new-token" onSubmit={() => void run(make)}>
                <Field
                    label={t("admin.name")}
                    name="name"
                    autoComplete="off"
                    autoFocus
                    help={t("admin.tokenNameHelp")}
                    value={name}
                    onChange={setName}
                />
                <Select label={t("admin.role")} value={role} options={roles} onChange={setRole} />
                <Select
                    label={t("admin.expires")}
                    value={lasts}
                    options={LASTS.map((value) => ({
                        value,
                        label:
                            value === "never"
                                ? t("admin.never")
                                : t("admin.inDays", { count: Number(value) }),
                    }))}
                    onChange={setLasts}
                />
            </DialogForm>
            {problem && <ProblemNote problem={problem} />}
            <DialogActions>
                <Button onPress={onClose}>{t("dialog.cancel")}</Button>
                <Button
                    type="submit"
                    form="new-token"
                    look="filled"
                    isDisabled={isBusy || name.trim() === ""}
                >
                    {t("admin.makeToken")}
                </Button>
            </DialogActions>
        </Dialog>
    );
}
