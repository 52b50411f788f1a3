// SPDX-License-Identifier: Apache-2.0
// A room that is not there, or not yet.

import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import styles from "./RoomStates.module.css";

export function GoneRoom() {
    const t = useTranslations();
    return (
        <div className={styles.gone}>
            <h1>{t("room.gone")}</h1>
            <p>{t("room.goneHelp")}</p>
            <Link to="/rooms">{t("app.toRooms")}</Link>
        </div>
    );
}

export function TimelineSkeleton() {
    return (
        <div className={styles.skeleton} aria-hidden="true">
            {["a", "b", "c", "d"].map((key) => (
                <div key={key} className={styles.line}>
                    <span />
                    <span />
                </div>
            ))}
        </div>
    );
}
