// SPDX-License-Identifier: Apache-2.0
// One person of the organisation. Nothing changes here before the server said so.
import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, UserCheck, UserX } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { changeUser, makeResetLink } from "../../api/calls";
import type { MadeLink, User, UserPatch, UserRole } from "../../api/model";
import { ActionItem, ActionsMenu } from "../../ui/ActionsMenu";
import { Avatar } from "../../ui/Avatar";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { RowProblem } from "../../ui/RowProblem";
import { Select } from "../../ui/Select";
import table from "../../ui/Table.module.css";
import { showToast } from "../../ui/toast";
import { useAction } from "../../ui/useAction";
import { useSession } from "../shell/SessionContext";

import { useRoleOptions } from "./useRoleOptions";

const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

function StateOf({ user }: { user: User }) {
    const t = useTranslations("admin");
    if (!user.is_active) {
        return (
            <span className={table.state} data-tone="quiet">
                <span aria-hidden="true">○</span> {t("inactive")}
            </span>
        );
    }
    return user.has_password ? (
        <span className={table.state} data-tone="ok">
            <span aria-hidden="true">●</span> {t("active")}
        </span>
    ) : (
        <span className={table.state} data-tone="warn">
            <span aria-hidden="true">◔</span> {t("invited")}
        </span>
    );
}

export function UserRow({ user, onLink }: { user: User; onLink: (link: MadeLink) => void }) {
    const t = useTranslations();
    const { me } = useSession();
    const queries = useQueryClient();
    const roles = useRoleOptions();
    const [isEnding, setIsEnding] = useState(false);
    const { isBusy, problem, run } = useAction();
    const isSelf = user.id === me.user.id;

    async function change(patch: UserPatch): Promise<void> {
        await changeUser(user.id, patch);
        await queries.invalidateQueries({ queryKey: ["users"] });
    }

    async function changeRole(role: UserRole): Promise<void> {
        if (await run(() => change({ role }))) {
            showToast({ text: t("admin.roleChanged", { name: user.display_name }) });
        }
    }

    return (
        <>
            <tr>
                <td>
                    <div className={table.who}>
                        <Avatar name={user.display_name} />
                        <span className={table.words}>
                            <span className={table.name}>
                                {user.display_name}
                                {isSelf && (
                                    <span className={table.small}> ({t("people.you")})</span>
                                )}
                            </span>
                            <span className={table.small}>{user.email}</span>
                        </span>
                    </div>
                </td>
                <td data-label={t("admin.role")}>
                    <Select
                        label={t("admin.roleOf", { name: user.display_name })}
                        labelLook="spoken"
                        value={user.role}
                        options={roles}
                        isDisabled={isBusy || !user.is_active}
                        onChange={(role) => void changeRole(role)}
                    />
                </td>
                <td data-label={t("admin.state")}>
                    <StateOf user={user} />
                </td>
                <td className={table.act}>
                    <ActionsMenu label={t("admin.actionsOf", { name: user.display_name })}>
                        {user.is_active && (
                            <ActionItem
                                text={t("admin.makeLink")}
                                sign={<KeyRound {...icon} />}
                                onAction={() =>
                                    void run(async () => onLink(await makeResetLink(user.id)))
                                }
                            />
                        )}
                        {user.is_active ? (
                            <ActionItem
                                text={t("admin.deactivate")}
                                sign={<UserX {...icon} />}
                                look="bad"
                                onAction={() => setIsEnding(true)}
                            />
                        ) : (
                            <ActionItem
                                text={t("admin.activate")}
                                sign={<UserCheck {...icon} />}
                                onAction={() => void run(() => change({ is_active: true }))}
                            />
                        )}
                    </ActionsMenu>
                    {isEnding && (
                        <ConfirmDialog
                            title={t("admin.deactivateTitle", { name: user.display_name })}
                            deed={t("admin.deactivate")}
                            onConfirm={() => change({ is_active: false })}
                            onClose={() => setIsEnding(false)}
                        >
                            {t("admin.deactivateText")}
                        </ConfirmDialog>
                    )}
                </td>
            </tr>
            {problem && <RowProblem problem={problem} columns={4} />}
        </>
    );
}
