// SPDX-License-Identifier: Apache-2.0
// The pages for when there is no page: an unknown address, and a fault of ours.
import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import styles from "./Fallbacks.module.css";

export function MissingPage() {
    const t = useTranslations("app");
    return (
        <main className={styles.page}>
            <h1>{t("notFound")}</h1>
            <p>{t("notFoundHelp")}</p>
            <Link to="/rooms">{t("toRooms")}</Link>
        </main>
    );
}

export function BrokenPage() {
    const t = useTranslations("app");
    return (
        <main className={styles.page}>
            <h1>{t("broken")}</h1>
            <button type="button" className={styles.reload} onClick={() => location.reload()}>
                {t("reload")}
            </button>
        </main>
    );
}
