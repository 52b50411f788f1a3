// SPDX-License-Identifier: Apache-2.0
// Coming in by a link: it signs in, or it is an invitation and a password is chosen with it.
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import styles from "./LoginPage.module.css";
import { SHORTEST_PASSWORD } from "./link";

export interface LinkFormProps {
    isBusy: boolean;
    /** The server said that this link only sets a password. */
    isPasswordNeeded: boolean;
    onPassword: (password: string) => void;
    /** Pressed, not done by itself: whatever merely looks at a link must not use it up. */
    onEnter: () => void;
    onGiveUp: () => void;
}

export function LinkForm(props: LinkFormProps) {
    const { isBusy, isPasswordNeeded, onPassword, onEnter, onGiveUp } = props;
    const t = useTranslations("login");
    const [password, setPassword] = useState("");
    const [isTooShort, setIsTooShort] = useState(false);
    return (
        <form
            className={styles.form}
            onSubmit={(submit) => {
                submit.preventDefault();
                if (!isPasswordNeeded) {
                    onEnter();
                    return;
                }
                setIsTooShort(password.length < SHORTEST_PASSWORD);
                if (password.length >= SHORTEST_PASSWORD) {
                    onPassword(password);
                }
            }}
        >
            {isPasswordNeeded && (
                <Field
                    label={t("newPassword")}
                    name="password"
                    type="password"
                    autoComplete="new-password"
                    autoFocus
                    help={t("passwordHelp")}
                    error={isTooShort ? t("tooShort") : undefined}
                    value={password}
                    onChange={setPassword}
                />
            )}
            <Button type="submit" look="filled" isDisabled={isBusy}>
                {t(isPasswordNeeded ? "setAndEnter" : "enter")}
            </Button>
            <Button look="quiet" onPress={onGiveUp}>
                {t("usePassword")}
            </Button>
        </form>
    );
}
