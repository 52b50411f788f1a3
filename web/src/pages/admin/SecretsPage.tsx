// SPDX-License-Identifier: Apache-2.0
// The secrets that skills name: which skills, since when, and never what the value is.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { LockKeyhole, Trash2 } from "lucide-react";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { fetchSecrets, removeSecret } from "../../api/calls";
import type { Secret } from "../../api/model";
import { problemOf } from "../../api/problem";
import { ActionItem, ActionsMenu } from "../../ui/ActionsMenu";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Empty, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import table from "../../ui/Table.module.css";
import { Time } from "../../ui/Time";
import { AdminFrame } from "./AdminFrame";
import { SecretDialog } from "./SecretDialog";

const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

interface Asked {
    deed: "replace" | "delete";
    name: string;
}

function SecretRow({ secret, onAsk }: { secret: Secret; onAsk: (asked: Asked) => void }) {
    const t = useTranslations("admin");
    const format = useFormatter();
    const { name, description, used_by } = secret;
    return (
        <tr>
            <td>
                <div className={table.who}>
                    <span className={table.words}>
                        <span className={table.name}>{name}</span>
                        <span className={table.small}>{description}</span>
                    </span>
                </div>
            </td>
            <td data-label={t("usedBy")}>
                {used_by.length === 0
                    ? t("unused")
                    : format.list(used_by.map((skill) => skill.name))}
            </td>
            <td data-label={t("made")}>
                <Time at={secret.created_at} as="moment" />
            </td>
            <td data-label={t("valueGiven")}>
                <Time at={secret.updated_at} as="moment" />
            </td>
            <td className={table.act}>
                <ActionsMenu label={t("secretActions", { name })}>
                    <ActionItem
                        text={t("replaceValue")}
                        sign={<LockKeyhole {...icon} />}
                        onAction={() => onAsk({ deed: "replace", name })}
                    />
                    <ActionItem
                        text={t("deleteSecret")}
                        sign={<Trash2 {...icon} />}
                        look="bad"
                        onAction={() => onAsk({ deed: "delete", name })}
                    />
                </ActionsMenu>
            </td>
        </tr>
    );
}

/** Apart from the page, so that nobody asks for them who may not see them. */
function SecretList() {
    const t = useTranslations("admin");
    const queries = useQueryClient();
    const secrets = useQuery({ queryKey: ["secrets"], queryFn: fetchSecrets });
    const [asked, setAsked] = useState<Asked>();
    const close = () => setAsked(undefined);

    async function remove(name: string): Promise<void> {
        try {
            await removeSecret(name);
        } finally {
            // Which skills stand against it may be news.
            await queries.invalidateQueries({ queryKey: ["secrets"] });
        }
    }

    return (
        <>
            {secrets.isPending && <Skeleton />}
            {secrets.isError && (
                <ProblemNote
                    problem={problemOf(secrets.error)}
                    onRetry={() => void secrets.refetch()}
                />
            )}
            {secrets.data?.length === 0 && (
                <Empty title={t("noSecrets")}>
                    <p>{t("noSecretsHelp")}</p>
                </Empty>
            )}
            {secrets.data !== undefined && secrets.data.length > 0 && (
                <table className={table.table} aria-label={t("secrets")}>
                    <thead>
                        <tr>
                            <th scope="col">{t("name")}</th>
                            <th scope="col">{t("usedBy")}</th>
                            <th scope="col">{t("made")}</th>
                            <th scope="col">{t("valueGiven")}</th>
                            <th scope="col">
                                <span className="hidden-visually">{t("actions")}</span>
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        {secrets.data.map((secret) => (
                            <SecretRow key={secret.name} secret={secret} onAsk={setAsked} />
                        ))}
                    </tbody>
                </table>
            )}
            {asked?.deed === "replace" && <SecretDialog replaced={asked.name} onClose={close} />}
            {asked?.deed === "delete" && (
                <ConfirmDialog
                    title={t("deleteSecretTitle", { name: asked.name })}
                    deed={t("deleteSecret")}
                    onConfirm={() => remove(asked.name)}
                    onClose={close}
                >
                    {t("deleteSecretText")}
                </ConfirmDialog>
            )}
        </>
    );
}

export function SecretsPage() {
    const t = useTranslations("admin");
    const [isMaking, setIsMaking] = useState(false);
    return (
        <AdminFrame
            title={t("secrets")}
            actions={
                <Button look="filled" onPress={() => setIsMaking(true)}>
                    <LockKeyhole size={16} strokeWidth={1.75} aria-hidden="true" />
                    {t("newSecret")}
                </Button>
            }
        >
            <SecretList />
            {isMaking && <SecretDialog onClose={() => setIsMaking(false)} />}
        </AdminFrame>
    );
}
