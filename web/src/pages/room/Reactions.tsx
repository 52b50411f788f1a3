// SPDX-License-Identifier: Apache-2.0
// What people in the room nod at a message just now. It floats: what is read does not move for it.
import { useTranslations } from "use-intl";
import { reactionsTo } from "../../live/reactions";
import { useReadable } from "../../ui/useReadable";
import styles from "./Reactions.module.css";
import { useOpenRoom } from "./RoomContext";

export function Reactions({ eventId }: { eventId: string }) {
    const t = useTranslations("reaction");
    const { room, participants, ownId } = useOpenRoom();
    const shown = reactionsTo(useReadable(room.state).reactions, eventId);
    if (shown.length === 0) {
        return null;
    }
    const nameOf = (who: string) => participants.get(who)?.display_name || t("somebody");
    return (
        <ul className={styles.shown} aria-label={t("shown")}>
            {shown.map(({ emoji, who }) => (
                <li
                    key={emoji}
                    className={who.includes(ownId) ? styles.own : ""}
                    title={who.map(nameOf).join(", ")}
                >
                    <span>{emoji}</span> {who.length > 1 && <span>{who.length}</span>}
                    <span className="hidden-visually">{who.map(nameOf).join(", ")}</span>
                </li>
            ))}
        </ul>
    );
}
