// SPDX-License-Identifier: Apache-2.0
// A new password: an administrator sets one with a link of their own, everybody else is given a link.
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { setPassword } from "../../api/auth";
import { makeResetLink } from "../../api/calls";
import { renewSession, setCsrfToken } from "../../api/client";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Section } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { showToast } from "../../ui/toast";
import { useAction } from "../../ui/useAction";
import { linkTokenOf, SHORTEST_PASSWORD } from "../login/link";
import { useSession } from "../shell/SessionContext";
import styles from "./Settings.module.css";

function PasswordForm() {
    const t = useTranslations();
    const { me } = useSession();
    const queries = useQueryClient();
    const router = useRouter();
    const [password, setText] = useState("");
    const [isTooShort, setIsTooShort] = useState(false);
    const { isBusy, problem, run } = useAction();

    async function save(): Promise<void> {
        setIsTooShort(password.length < SHORTEST_PASSWORD);
        if (password.length < SHORTEST_PASSWORD) {
            return;
        }
        const isDone = await run(async () => {
            const { link } = await makeResetLink(me.user.id);
            // All sessions end with this, which the page may hear of first; the answer begins a new one for it.
            await renewSession(async () => {
                const renewed = await setPassword(linkTokenOf(link), password);
                setCsrfToken(renewed.csrf_token);
                queries.setQueryData(["me"], renewed);
                await router.invalidate();
            });
        });
        if (isDone) {
            setText("");
            showToast({ text: t("settings.passwordSaved") });
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
                label={t("login.newPassword")}
                name="password"
                type="password"
                autoComplete="new-password"
                help={t("login.passwordHelp")}
                error={isTooShort ? t("login.tooShort") : undefined}
                value={password}
                onChange={setText}
            />
            <p className={styles.help}>{t("settings.passwordHelp")}</p>
            {problem && <ProblemNote problem={problem} />}
            <Button type="submit" isDisabled={isBusy || password === ""}>
                {t("settings.setPassword")}
            </Button>
        </form>
    );
}

export function PasswordSection() {
    const t = useTranslations("settings");
    const { me } = useSession();
    return (
        <Section title={t("password")}>
            {me.user.role === "admin" ? (
                <PasswordForm />
            ) : (
                <p className={styles.help}>{t("passwordByLink")}</p>
            )}
        </Section>
    );
}
