// SPDX-License-Identifier: Apache-2.0
// The tokens with which programs come in: whose they are, when they were last used, and the way to end one.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { fetchTokens, fetchUsers, revokeToken } from "../../api/calls";
import type { ApiToken } from "../../api/model";
import { problemOf } from "../../api/problem";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Empty, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import table from "../../ui/Table.module.css";
import { Time } from "../../ui/Time";
import { AdminFrame } from "./AdminFrame";
import { NewTokenDialog } from "./NewTokenDialog";

export function TokensPage() {
    const t = useTranslations();
    const queries = useQueryClient();
    const tokens = useQuery({ queryKey: ["tokens"], queryFn: fetchTokens });
    const users = useQuery({ queryKey: ["users"], queryFn: fetchUsers });
    const [isMaking, setIsMaking] = useState(false);
    const [ending, setEnding] = useState<ApiToken>();
    const makerOf = (token: ApiToken) =>
        users.data?.find((user) => user.id === token.created_by)?.display_name ?? "–";
    return (
        <AdminFrame
            title={t("admin.tokens")}
            actions={
                <Button look="filled" onPress={() => setIsMaking(true)}>
                    <KeyRound size={16} strokeWidth={1.75} aria-hidden="true" />
                    {t("admin.newToken")}
                </Button>
            }
        >
            {tokens.isPending && <Skeleton />}
            {tokens.isError && (
                <ProblemNote
                    problem={problemOf(tokens.error)}
                    onRetry={() => void tokens.refetch()}
                />
            )}
            {tokens.data?.length === 0 && (
                <Empty title={t("admin.noTokens")}>
                    <p>{t("admin.noTokensHelp")}</p>
                </Empty>
            )}
            {tokens.data !== undefined && tokens.data.length > 0 && (
                <table className={table.table} aria-label={t("admin.tokens")}>
                    <thead>
                        <tr>
                            <th scope="col">{t("admin.name")}</th>
                            <th scope="col">{t("admin.role")}</th>
                            <th scope="col">{t("admin.madeBy")}</th>
                            <th scope="col">{t("admin.lastUsed")}</th>
                            <th scope="col">{t("admin.expires")}</th>
                            <th scope="col">
                                <span className="hidden-visually">{t("admin.actions")}</span>
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        {tokens.data.map((token) => (
                            <tr key={token.id}>
                                <td>
                                    <span className={table.name}>{token.name}</span>
                                </td>
                                <td data-label={t("admin.role")}>{t(`roles.${token.role}`)}</td>
                                <td data-label={t("admin.madeBy")}>{makerOf(token)}</td>
                                <td data-label={t("admin.lastUsed")}>
                                    {token.last_used_at === null ? (
                                        t("admin.neverUsed")
                                    ) : (
                                        <Time at={token.last_used_at} as="distance" />
                                    )}
                                </td>
                                <td data-label={t("admin.expires")}>
                                    {token.expires_at === null ? (
                                        t("admin.never")
                                    ) : (
                                        <Time at={token.expires_at} as="day" />
                                    )}
                                </td>
                                <td className={table.act}>
                                    <Button
                                        look="bad"
                                        aria-label={t("admin.revokeOne", { name: token.name })}
                                        onPress={() => setEnding(token)}
                                    >
                                        {t("admin.revoke")}
                                    </Button>
                                </td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            )}
            {isMaking && <NewTokenDialog onClose={() => setIsMaking(false)} />}
            {ending && (
                <ConfirmDialog
                    title={t("admin.revokeTitle", { name: ending.name })}
                    deed={t("admin.revoke")}
                    onConfirm={async () => {
                        await revokeToken(ending.id);
                        await queries.invalidateQueries({ queryKey: ["tokens"] });
                    }}
                    onClose={() => setEnding(undefined)}
                >
                    {t("admin.revokeText")}
                </ConfirmDialog>
            )}
        </AdminFrame>
    );
}
