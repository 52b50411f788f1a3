// SPDX-License-Identifier: Apache-2.0
// Signing in by email address and password.
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import styles from "./LoginPage.module.css";

export interface PasswordFormProps {
    isBusy: boolean;
    onSubmit: (email: string, password: string) => void;
}

export function PasswordForm({ isBusy, onSubmit }: PasswordFormProps) {
    const t = useTranslations("login");
    const [email, setEmail] = useState("");
    const [password, setPassword] = useState("");
    return (
        <form
            className={styles.form}
            onSubmit={(submit) => {
                submit.preventDefault();
                onSubmit(email, password);
            }}
        >
            <Field
                label={t("email")}
                name="email"
                type="email"
                autoComplete="username"
                autoFocus
                value={email}
                onChange={setEmail}
            />
            <Field
                label={t("password")}
                name="password"
                type="password"
                autoComplete="current-password"
                value={password}
                onChange={setPassword}
            />
            <Button type="submit" look="filled" isDisabled={isBusy}>
                {t("submit")}
            </Button>
        </form>
    );
}
