// SPDX-License-Identifier: Apache-2.0
// One room of the inbox: how much is unread in it, and how that begins.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { fetchMessagesAfter, fetchReadMarker, fetchRoom, setReadMarker } from "../../api/calls";
import type { Participant, Room, RoomEvent } from "../../api/model";
import { problemOf } from "../../api/problem";
import { excerptOf } from "../../store/content";
import { mentionsOf } from "../../store/mentions";
import { speakerName } from "../../store/participants";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { CountBadge } from "../../ui/CountBadge";
import { ProblemNote } from "../../ui/ProblemNote";
import { Time } from "../../ui/Time";
import { useAction } from "../../ui/useAction";
import { useReadable } from "../../ui/useReadable";
import { useRoomName } from "../rooms/useRooms";
import { useSession } from "../shell/SessionContext";
import styles from "./InboxRoom.module.css";

/** As many messages as are looked through for those that name the person. */
const LOOKED_AT = 100;
const SHOWN = 3;

interface Preview {
    events: RoomEvent[];
    participants: ReadonlyMap<string, Participant>;
}

async function fetchPreview(room: Room, only: "mentions" | "unread", me: string): Promise<Preview> {
    const [marker, detail] = await Promise.all([fetchReadMarker(room.id), fetchRoom(room.id)]);
    const after = await fetchMessagesAfter(room.id, marker, LOOKED_AT);
    const events = after.filter(
        (event) =>
            event.source.participant_id !== me &&
            !event.is_deleted &&
            (only === "unread" || mentionsOf(event).includes(me)),
    );
    return { events, participants: new Map(detail.participants.map((each) => [each.id, each])) };
}

export function InboxRoom({ room, only }: { room: Room; only: "mentions" | "unread" }) {
    const t = useTranslations();
    const session = useSession();
    const counts = useReadable(session.unread.counts).get(room.id) ?? { unread: 0, mentions: 0 };
    const me = session.me.user.id;
    const name = useRoomName()(room);
    const { isBusy, problem, run } = useAction();
    const preview = useQuery({
        queryKey: ["inbox", room.id, only, counts.unread],
        queryFn: () => fetchPreview(room, only, me),
        // While the count changes what was shown stays, instead of a hole.
        placeholderData: (held) => held,
    });
    const events = preview.data?.events.slice(0, SHOWN) ?? [];
    const rest = (only === "mentions" ? counts.mentions : counts.unread) - events.length;

    return (
        <article className={styles.room} aria-label={name}>
            <header className={styles.header}>
                <h3 className={styles.name}>
                    <Link to="/rooms/$roomId" params={{ roomId: room.id }}>
                        {name}
                    </Link>
                </h3>
                <CountBadge counts={counts} />
                <Button
                    look="quiet"
                    isDisabled={isBusy}
                    aria-label={t("inbox.markReadOf", { name })}
                    onPress={() =>
                        void run(async () => {
                            await setReadMarker(room.id, { index: room.latest_index });
                            session.unread.set(room.id, { unread: 0, mentions: 0 });
                        })
                    }
                >
                    {t("inbox.markRead")}
                </Button>
            </header>
            {problem && <ProblemNote problem={problem} />}
            {preview.isError && (
                <ProblemNote
                    problem={problemOf(preview.error)}
                    onRetry={() => void preview.refetch()}
                />
            )}
            <ul className={styles.messages}>
                {events.map((event) => {
                    const who = speakerName(
                        event,
                        preview.data?.participants ?? new Map(),
                        t("message.someone"),
                    );
                    return (
                        <li key={event.id}>
                            <Link
                                to="/rooms/$roomId"
                                params={{ roomId: room.id }}
                                search={{ at: event.index }}
                                className={styles.message}
                            >
                                <Avatar name={who} />
                                <span className={styles.words}>
                                    <span className={styles.who}>
                                        <b>{who}</b> <Time at={event.created_at} as="distance" />
                                    </span>
                                    <span className={styles.text}>{excerptOf(event.content)}</span>
                                </span>
                            </Link>
                        </li>
                    );
                })}
            </ul>
            {preview.isSuccess && rest > 0 && (
                <p className={styles.rest}>{t("inbox.rest", { count: rest })}</p>
            )}
        </article>
    );
}
