// SPDX-License-Identifier: Apache-2.0
// The room's name, its state where it has one, and who is in it.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowLeft, Users } from "lucide-react";
import { useTranslations } from "use-intl";
import { usePageTitle } from "../shell/usePageTitle";
import { useOpenRoom } from "./RoomContext";
import styles from "./RoomHeader.module.css";
import { RoomMenu } from "./RoomMenu";

export function RoomHeader({ name }: { name: string }) {
    const t = useTranslations();
    const { detail } = useOpenRoom();
    const navigate = useNavigate();
    usePageTitle(name);
    const { panel } = useSearch({ strict: false });
    const here = detail?.participants.filter((each) => each.status === "active").length ?? 0;
    const people = detail ? t("room.peopleCount", { count: here }) : t("room.people");
    const isOpen = panel === "people";
    return (
        <header className={styles.header}>
            <Link to="/rooms" className={styles.back} aria-label={t("room.back")}>
                <ArrowLeft size={20} strokeWidth={1.75} aria-hidden="true" />
            </Link>
            <h1 className={styles.name}>{name}</h1>
            {detail && detail.status !== "active" && (
                <span className={styles.status}>{t(`rooms.${detail.status}`)}</span>
            )}
            <button
                type="button"
                className={styles.people}
                aria-pressed={isOpen}
                aria-label={people}
                onClick={() =>
                    void navigate({
                        to: ".",
                        search: (held) => ({
                            ...held,
                            thread: undefined,
                            panel: isOpen ? undefined : "people",
                        }),
                    })
                }
            >
                <Users size={16} strokeWidth={1.75} aria-hidden="true" />
                <span className={styles.words}>{people}</span>
                <span className={styles.count}>{detail && here}</span>
            </button>
            <RoomMenu name={name} />
        </header>
    );
}
