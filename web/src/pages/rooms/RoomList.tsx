// SPDX-License-Identifier: Apache-2.0
// The rooms one may see: unread first, each with its counts, its draft and when something last happened.
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { problemOf } from "../../api/problem";
import { Button, IconButton } from "../../ui/Button";
import { ProblemNote } from "../../ui/ProblemNote";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "../shell/SessionContext";
import styles from "./RoomList.module.css";
import { RoomRow } from "./RoomRow";
import { useOrderedRooms, useRooms } from "./useRooms";
import { useSteadyOrder } from "./useSteadyOrder";
import { useUnreadBelow } from "./useUnreadBelow";

const NewRoomDialog = lazy(() => import("./NewRoomDialog"));

function Filter({ show }: { show: "unread" | undefined }) {
    const t = useTranslations("rooms");
    const navigate = useNavigate();
    const choices = [
        [undefined, t("all")],
        ["unread", t("unreadOnly")],
    ] as const;
    return (
        <fieldset className={styles.filter}>
            <legend className="hidden-visually">{t("filter")}</legend>
            {choices.map(([value, label]) => (
                <button
                    key={label}
                    type="button"
                    aria-pressed={value === show}
                    onClick={() =>
                        void navigate({
                            to: ".",
                            search: (held) => ({ ...held, show: value }),
                            replace: true,
                        })
                    }
                >
                    {label}
                </button>
            ))}
        </fieldset>
    );
}

function Skeleton() {
    return (
        <div className={styles.skeleton} aria-hidden="true">
            {["a", "b", "c", "d", "e"].map((key) => (
                <span key={key} />
            ))}
        </div>
    );
}

export function RoomList({ here }: { here: string }) {
    const t = useTranslations("rooms");
    const session = useSession();
    const query = useRooms(session);
    const ordered = useOrderedRooms(session);
    const counts = useReadable(session.unread.counts);
    const show = useRouterState({
        select: (state) => (state.location.search as { show?: "unread" }).show,
    });
    const list = useRef<HTMLUListElement>(null);
    const [isCreating, setIsCreating] = useState(false);
    const { steady, hold, release } = useSteadyOrder(ordered);
    const shown = steady.filter(
        (room) => show !== "unread" || room.id === here || (counts.get(room.id)?.unread ?? 0) > 0,
    );
    const below = useUnreadBelow(list, counts, shown);

    return (
        <section aria-label={t("title")} className={styles.section} data-region="">
            <header className={styles.header}>
                <h2>{t("title")}</h2>
                <IconButton label={t("create")} onPress={() => setIsCreating(true)}>
                    <Plus size={20} strokeWidth={1.75} />
                </IconButton>
            </header>
            <Filter show={show} />
            {query.isError && query.rooms.length > 0 && (
                <p className={styles.stale}>{t("stale")}</p>
            )}
            {query.isError && query.rooms.length === 0 && (
                <ProblemNote
                    problem={problemOf(query.error)}
                    onRetry={() => void query.refetch()}
                />
            )}
            {query.isPending && <Skeleton />}
            {query.isSuccess && shown.length === 0 && (
                <div className={styles.empty}>
                    <p>{t(show === "unread" ? "allRead" : "empty")}</p>
                    {show !== "unread" && (
                        <>
                            <p className={styles.help}>{t("emptyHelp")}</p>
                            <Button look="filled" onPress={() => setIsCreating(true)}>
                                {t("create")}
                            </Button>
                        </>
                    )}
                </div>
            )}
            <ul
                ref={list}
                className={styles.list}
                onPointerEnter={hold}
                onPointerLeave={release}
                onFocus={hold}
                onBlur={release}
            >
                {shown.map((room) => (
                    <RoomRow
                        key={room.id}
                        room={room}
                        counts={counts.get(room.id)}
                        isOpen={room.id === here}
                    />
                ))}
                {query.hasNextPage && (
                    <li>
                        <Button
                            look="quiet"
                            onPress={() => void query.fetchNextPage()}
                            isDisabled={query.isFetchingNextPage}
                        >
                            {t("more")}
                        </Button>
                    </li>
                )}
            </ul>
            {below.count > 0 && (
                <button type="button" className={styles.below} onClick={below.show}>
                    {t("moreUnread", { count: below.count })} <span aria-hidden="true">↓</span>
                </button>
            )}
            <Suspense>
                {isCreating && <NewRoomDialog onClose={() => setIsCreating(false)} />}
            </Suspense>
        </section>
    );
}
