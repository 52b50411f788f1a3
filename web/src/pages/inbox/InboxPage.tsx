// SPDX-License-Identifier: Apache-2.0
// What needs the person: where they are named first, then whatever else is unread.
import { useState } from "react";
import { useTranslations } from "use-intl";
import { problemOf } from "../../api/problem";
import { Button } from "../../ui/Button";
import { Empty, Page, Section, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { useReadable } from "../../ui/useReadable";
import { useMarkAllRead } from "../rooms/useMarkAllRead";
import { useOrderedRooms, useRooms } from "../rooms/useRooms";
import { useSession } from "../shell/SessionContext";
import { usePageTitle } from "../shell/usePageTitle";
import { InboxRoom } from "./InboxRoom";

/** Each room on the page asks the server for its messages: more of them come on request. */
const SHOWN = 8;

export function InboxPage() {
    const t = useTranslations("inbox");
    const session = useSession();
    const query = useRooms(session);
    const rooms = useOrderedRooms(session);
    const counts = useReadable(session.unread.counts);
    const markAllRead = useMarkAllRead(session);
    const [most, setMost] = useState(SHOWN);
    usePageTitle(t("title"));

    const unread = rooms.filter((room) => (counts.get(room.id)?.unread ?? 0) > 0);
    const shown = unread.slice(0, most);
    const meant = shown.filter((room) => (counts.get(room.id)?.mentions ?? 0) > 0);
    const others = shown.filter((room) => (counts.get(room.id)?.mentions ?? 0) === 0);
    const isKnown = query.isSuccess && rooms.every((room) => counts.has(room.id));

    return (
        <Page
            title={t("title")}
            actions={
                // Not before all counts are there: it would mark what is known so far, and call that all.
                isKnown &&
                unread.length > 0 && <Button onPress={markAllRead}>{t("markAllRead")}</Button>
            }
        >
            {query.isError && (
                <ProblemNote
                    problem={problemOf(query.error)}
                    onRetry={() => void query.refetch()}
                />
            )}
            {!isKnown && unread.length === 0 && !query.isError && <Skeleton />}
            {isKnown && unread.length === 0 && (
                <Empty title={t("empty")}>
                    <p>{t("emptyHelp")}</p>
                </Empty>
            )}
            {meant.length > 0 && (
                <Section title={t("mentions")}>
                    {meant.map((room) => (
                        <InboxRoom key={room.id} room={room} only="mentions" />
                    ))}
                </Section>
            )}
            {others.length > 0 && (
                <Section title={t("unread")}>
                    {others.map((room) => (
                        <InboxRoom key={room.id} room={room} only="unread" />
                    ))}
                </Section>
            )}
            {unread.length > most && (
                <Button look="quiet" onPress={() => setMost(most + SHOWN)}>
                    {t("more", { count: unread.length - most })}
                </Button>
            )}
        </Page>
    );
}
