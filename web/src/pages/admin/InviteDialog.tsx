// SPDX-License-Identifier: Apache-2.0
// Makes a person and the link that lets them in; the link is passed on by whoever invites.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { inviteUser } from "../../api/calls";
import type { MadeLink, UserRole } from "../../api/model";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions, DialogForm } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { ProblemNote } from "../../ui/ProblemNote";
import { Select } from "../../ui/Select";
import { useAction } from "../../ui/useAction";
import { useRoleOptions } from "./useRoleOptions";

export interface InviteDialogProps {
    onMade: (name: string, link: MadeLink) => void;
    onClose: () => void;
}

export function InviteDialog({ onMade, onClose }: InviteDialogProps) {
    const t = useTranslations();
    const queries = useQueryClient();
    const roles = useRoleOptions();
    const [email, setEmail] = useState("");
    const [name, setName] = useState("");
    const [role, setRole] = useState<UserRole>("member");
    const { isBusy, problem, run } = useAction();
    const isWhole = email.trim() !== "" && name.trim() !== "";

    async function make(): Promise<void> {
        const made = await inviteUser({ email: email.trim(), display_name: name.trim(), role });
        void queries.invalidateQueries({ queryKey: ["users"] });
        onMade(made.user.display_name, made);
    }

    return (
        <Dialog title={t("admin.invite")} onClose={onClose}>
            <DialogForm id="invite" onSubmit={() => void run(make)}>
                <Field
                    label={t("login.email")}
                    name="email"
                    type="email"
                    autoComplete="off"
                    autoFocus
                    value={email}
                    onChange={setEmail}
                />
                <Field
                    label={t("settings.name")}
                    name="name"
                    autoComplete="off"
                    help={t("settings.nameHelp")}
                    value={name}
                    onChange={setName}
                />
                <Select
                    label={t("admin.role")}
                    help={t(`admin.${role}Help`)}
                    value={role}
                    options={roles}
                    onChange={setRole}
                />
            </DialogForm>
            {problem && <ProblemNote problem={problem} />}
            <DialogActions>
                <Button onPress={onClose}>{t("dialog.cancel")}</Button>
                <Button type="submit" form="invite" look="filled" isDisabled={isBusy || !isWhole}>
                    {t("admin.makeInvitation")}
                </Button>
            </DialogActions>
        </Dialog>
    );
}
