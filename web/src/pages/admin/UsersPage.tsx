// SPDX-License-Identifier: Apache-2.0
// The people of the organisation: who they are, what they may do, and the way in for new ones.
import { useQuery } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { fetchUsers } from "../../api/calls";
import type { MadeLink } from "../../api/model";
import { problemOf } from "../../api/problem";
import { Button } from "../../ui/Button";
import { Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import table from "../../ui/Table.module.css";
import { AdminFrame } from "./AdminFrame";
import { InviteDialog } from "./InviteDialog";
import { LinkDialog } from "./LinkDialog";
import { UserRow } from "./UserRow";

export function UsersPage() {
    const t = useTranslations("admin");
    const locale = useLocale();
    const users = useQuery({ queryKey: ["users"], queryFn: fetchUsers });
    const [isInviting, setIsInviting] = useState(false);
    const [made, setMade] = useState<{ name: string; link: MadeLink }>();
    const sorted = [...(users.data ?? [])].sort(
        (a, b) =>
            Number(b.is_active) - Number(a.is_active) ||
            a.display_name.localeCompare(b.display_name, locale),
    );
    return (
        <AdminFrame
            title={t("users")}
            actions={
                <Button look="filled" onPress={() => setIsInviting(true)}>
                    <UserPlus size={16} strokeWidth={1.75} aria-hidden="true" />
                    {t("invite")}
                </Button>
            }
        >
            {users.isPending && <Skeleton />}
            {users.isError && (
                <ProblemNote
                    problem={problemOf(users.error)}
                    onRetry={() => void users.refetch()}
                />
            )}
            {users.isSuccess && (
                <table className={table.table} aria-label={t("users")}>
                    <thead>
                        <tr>
                            <th scope="col">{t("name")}</th>
                            <th scope="col">{t("role")}</th>
                            <th scope="col">{t("state")}</th>
                            <th scope="col">
                                <span className="hidden-visually">{t("actions")}</span>
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        {sorted.map((user) => (
                            <UserRow
                                key={user.id}
                                user={user}
                                onLink={(link) => setMade({ name: user.display_name, link })}
                            />
                        ))}
                    </tbody>
                </table>
            )}
            {isInviting && (
                <InviteDialog
                    onClose={() => setIsInviting(false)}
                    onMade={(name, link) => {
                        setIsInviting(false);
                        setMade({ name, link });
                    }}
                />
            )}
            {made && (
                <LinkDialog name={made.name} link={made.link} onClose={() => setMade(undefined)} />
            )}
        </AdminFrame>
    );
}
