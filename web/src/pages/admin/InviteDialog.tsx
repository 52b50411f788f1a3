// SPDX-License-Identifier: Apache-2.0
// Makes a person and the link that lets them in; the link is passed on by whoever invites.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { inviteUser } from "../../api/calls";
import type { MadeLink, UserRole } from "../../api/model";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { ProblemNote } from "../../ui/ProblemNote";
import { Select } from "../../ui/Select";
import { useAction } from "../../ui/useAction";
import styles from "./Dialogs.module.css";
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
    return (
        <Dialog title={t("admin.invite")} onClose={onClose}>
            <form
                id="invite"
                className={styles.form}
                onSubmit={(submit) => {
                    submit.preventDefault();
                    void run(async () => {
                        const made = await inviteUser({
                            email: email.trim(),
                            display_name: name.trim(),
                            role,
                        });
                        void queries.invalidateQueries({ queryKey: ["users"] });
                        onMade(made.user.display_name, made);
                    });
                }}
            >
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
                <Select label={t("admin.role")} value={role} options={roles} onChange={setRole} />
                <p className={styles.help}>{t(`admin.${role}Help`)}</p>
            </form>
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
