// SPDX-License-Identifier: Apache-2.0
// The switch for shortcuts of a single letter.
import { useTranslations } from "use-intl";
import { preferences, setPreference } from "../../store/preferences";
import { useReadable } from "../../ui/useReadable";
import styles from "./LetterKeys.module.css";

export function LetterKeys() {
    const t = useTranslations("keys");
    const { letterKeys } = useReadable(preferences);
    return (
        <label className={styles.switch}>
            <input
                type="checkbox"
                checked={letterKeys}
                onChange={(change) => setPreference("letterKeys", change.target.checked)}
            />
            <span>
                {t("letters")}
                <small>{t("lettersHelp")}</small>
            </span>
        </label>
    );
}
