// SPDX-License-Identifier: Apache-2.0
// Who takes part, in which role, and whether they are there, as far as that is known.
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import type { Participant } from "../../api/model";
import { type PresenceState, presenceOf } from "../../live/people";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "../shell/SessionContext";
import { AddPeopleDialog } from "./AddPeopleDialog";
import { Panel } from "./Panel";
import styles from "./PeoplePanel.module.css";
import { PersonMenu } from "./PersonMenu";
import { useOpenRoom } from "./RoomContext";
import { useRights } from "./useRights";

const marks = { online: "●", offline: "○", unknown: "◌" };

function usePresence(): (who: string) => PresenceState {
    const { room, ownId } = useOpenRoom();
    const { people } = useReadable(room.state);
    const isConnected = useReadable(useSession().connection) === "open";
    return (who) => {
        if (!isConnected) {
            return "unknown";
        }
        return who === ownId ? "online" : presenceOf(people, who);
    };
}

function Person({ person, presence }: { person: Participant; presence: PresenceState }) {
    const t = useTranslations("people");
    const { ownId } = useOpenRoom();
    const { mayManage } = useRights();
    const isAgent = person.role === "agent" || person.role === "bot";
    const isGone = person.status !== "active" && person.status !== "inactive";
    return (
        <li className={styles.person}>
            <Avatar name={person.display_name} kind={isAgent ? "agent" : "person"} />
            <span className={styles.words}>
                <span className={styles.name}>
                    {person.display_name || person.id}
                    {person.id === ownId && <span className={styles.role}> ({t("you")})</span>}
                </span>
                <span className={styles.role}>{isGone ? t("left") : t(person.role)}</span>
            </span>
            {!isGone && !isAgent && (
                <span
                    className={styles.presence}
                    data-presence={presence}
                    title={presence === "unknown" ? t("unknownHelp") : undefined}
                >
                    <span aria-hidden="true">{marks[presence]}</span> {t(presence)}
                </span>
            )}
            {mayManage && !isGone && person.id !== ownId && <PersonMenu person={person} />}
        </li>
    );
}

export function PeoplePanel({ onClose }: { onClose: () => void }) {
    const t = useTranslations("people");
    const locale = useLocale();
    const { participants, ownId } = useOpenRoom();
    const { mayAdd } = useRights();
    const presence = usePresence();
    const [isAdding, setIsAdding] = useState(false);
    const isThere = (person: Participant) => Number(person.status === "active");
    const sorted = [...participants.values()].sort(
        (a, b) =>
            isThere(b) - isThere(a) ||
            Number(b.id === ownId) - Number(a.id === ownId) ||
            a.display_name.localeCompare(b.display_name, locale),
    );
    return (
        <Panel title={t("title")} onClose={onClose}>
            {mayAdd && (
                <div className={styles.add}>
                    <Button onPress={() => setIsAdding(true)}>
                        <UserPlus size={16} strokeWidth={1.75} aria-hidden="true" />
                        {t("add")}
                    </Button>
                </div>
            )}
            <ul className={styles.list}>
                {sorted.map((person) => (
                    <Person key={person.id} person={person} presence={presence(person.id)} />
                ))}
            </ul>
            {isAdding && <AddPeopleDialog onClose={() => setIsAdding(false)} />}
        </Panel>
    );
}
