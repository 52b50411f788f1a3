// SPDX-License-Identifier: Apache-2.0
// The state of the connection as a mark and a word; the change of it is also said.
import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { announce } from "../../ui/announce";
import { useReadable } from "../../ui/useReadable";
import styles from "./Rail.module.css";
import { useSession } from "./SessionContext";

const marks = { open: "●", connecting: "◔", waiting: "◔", closed: "○", refused: "○" };

export function Connection() {
    const t = useTranslations("connection");
    const state = useReadable(useSession().connection);
    const wasOpen = useRef(false);
    useEffect(() => {
        if (state === "waiting" && wasOpen.current) {
            announce(t("lost"));
        }
        if (state === "open" && wasOpen.current) {
            announce(t("back"));
        }
        wasOpen.current ||= state === "open";
    }, [state, t]);
    return (
        <p className={styles.state} title={t(state)}>
            <span aria-hidden="true" className={styles.mark} data-state={state}>
                {marks[state]}
            </span>
            <span className={styles.word}>{t(state)}</span>
        </p>
    );
}
