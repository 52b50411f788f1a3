// SPDX-License-Identifier: Apache-2.0
// What stands beside the list while no room is open.
import { useTranslations } from "use-intl";
import { usePageTitle } from "../shell/usePageTitle";
import styles from "./NoRoom.module.css";

export function NoRoom() {
    const t = useTranslations("rooms");
    usePageTitle(t("title"));
    return (
        <div className={styles.empty}>
            <h1>{t("pick")}</h1>
            <p>{t("pickHelp", { keys: "Ctrl K" })}</p>
        </div>
    );
}
