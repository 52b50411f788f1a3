// SPDX-License-Identifier: Apache-2.0
// Who the person is: the name others see. Only an administrator changes names.
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { fetchMe } from "../../api/auth";
import { changeUser } from "../../api/calls";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Section } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { showToast } from "../../ui/toast";
import { useAction } from "../../ui/useAction";
import { useSession } from "../shell/SessionContext";
import styles from "./Settings.module.css";

function NameForm() {
    const t = useTranslations();
    const { me } = useSession();
    const queries = useQueryClient();
    const router = useRouter();
    const [name, setName] = useState(me.user.display_name);
    const { isBusy, problem, run } = useAction();
    const isSame = name.trim() === "" || name.trim() === me.user.display_name;

    async function save(): Promise<void> {
        const isDone = await run(async () => {
            await changeUser(me.user.id, { display_name: name.trim() });
            queries.setQueryData(["me"], await fetchMe());
            void queries.invalidateQueries({ queryKey: ["users"] });
            await router.invalidate();
        });
        if (isDone) {
            showToast({ text: t("settings.saved") });
        }
    }

    return (
        <form
            className={styles.form}
            onSubmit={(submit) => {
                submit.preventDefault();
                void save();
            }}
        >
            <Field
                label={t("settings.name")}
                name="name"
                autoComplete="name"
                help={t("settings.nameHelp")}
                value={name}
                onChange={setName}
            />
            {problem && <ProblemNote problem={problem} />}
            <Button type="submit" isDisabled={isBusy || isSame}>
                {t("message.save")}
            </Button>
        </form>
    );
}

export function ProfileSection() {
    const t = useTranslations();
    const { me } = useSession();
    return (
        <Section title={t("settings.profile")}>
            <dl className={styles.facts}>
                {me.user.role !== "admin" && (
                    <div>
                        <dt>{t("settings.name")}</dt>
                        <dd>{me.user.display_name}</dd>
                    </div>
                )}
                <div>
                    <dt>{t("login.email")}</dt>
                    <dd>{me.user.email}</dd>
                </div>
                <div>
                    <dt>{t("settings.role")}</dt>
                    <dd>{t(`roles.${me.user.role}`)}</dd>
                </div>
                <div>
                    <dt>{t("settings.organization")}</dt>
                    <dd>{me.organization.name}</dd>
                </div>
            </dl>
            {me.user.role === "admin" ? (
                <NameForm />
            ) : (
                <p className={styles.help}>{t("settings.askAdmin")}</p>
            )}
        </Section>
    );
}
