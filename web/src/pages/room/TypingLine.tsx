// SPDX-License-Identifier: Apache-2.0
// Who types, on a line that is always there, so that nothing moves when somebody begins.
import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { typingNow } from "../../live/people";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "../shell/SessionContext";
import { useOpenRoom } from "./RoomContext";
import styles from "./TypingLine.module.css";

const TICK_MS = 1_000;

/** The names of those who type, looked at again every second: typing falls by itself. */
function useTypingNames(): string[] {
    const { room, participants, ownId } = useOpenRoom();
    const { people } = useReadable(room.state);
    const isConnected = useReadable(useSession().connection) === "open";
    const [now, setNow] = useState(Date.now);
    useEffect(() => {
        setNow(Date.now());
        if (people.typing.size === 0) {
            return;
        }
        const timer = setInterval(() => setNow(Date.now()), TICK_MS);
        return () => clearInterval(timer);
    }, [people]);
    if (!isConnected) {
        return [];
    }
    return typingNow(people, now)
        .filter((who) => who !== ownId)
        .map((who) => participants.get(who)?.display_name ?? who);
}

export function TypingLine() {
    const t = useTranslations("room");
    const [first, second, ...others] = useTypingNames();
    let text = "";
    if (others.length > 0) {
        text = t("typingMany");
    } else if (first !== undefined && second !== undefined) {
        text = t("typingTwo", { first, second });
    } else if (first !== undefined) {
        text = t("typingOne", { name: first });
    }
    return (
        <p className={styles.line} data-testid="typing">
            {text}
        </p>
    );
}
