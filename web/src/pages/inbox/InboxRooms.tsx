// SPDX-License-Identifier: Apache-2.0
// The rooms of the inbox: where the person is named first, then whatever else is unread.
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { Room } from "../../api/model";
import type { Counts } from "../../store/unread";
import { Button } from "../../ui/Button";
import { Section } from "../../ui/Page";
import { InboxRoom } from "./InboxRoom";

/** Each room on the page asks the server for its messages: more of them come on request. */
const SHOWN = 8;

export interface InboxRoomsProps {
    unread: readonly Room[];
    counts: ReadonlyMap<string, Counts>;
}

export function InboxRooms({ unread, counts }: InboxRoomsProps) {
    const t = useTranslations("inbox");
    const [most, setMost] = useState(SHOWN);
    const shown = unread.slice(0, most);
    const meant = shown.filter((room) => (counts.get(room.id)?.mentions ?? 0) > 0);
    const others = shown.filter((room) => (counts.get(room.id)?.mentions ?? 0) === 0);
    return (
        <>
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
        </>
    );
}
