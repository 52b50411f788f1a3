// SPDX-License-Identifier: Apache-2.0
// A message while its author changes it: Enter saves, Escape leaves it, Up goes to the one before.
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { editEvent } from "../../api/calls";
import type { RoomEvent } from "../../api/model";
import { type Problem, problemOf } from "../../api/problem";
import { contentOf, writtenIn } from "../../store/content";
import { Button } from "../../ui/Button";
import { ProblemNote } from "../../ui/ProblemNote";
import styles from "./EditBox.module.css";
import { type Place, useOpenRoom } from "./RoomContext";
import { useLastOwn } from "./useLastOwn";

export interface EditBoxProps {
    event: RoomEvent;
    place: Place;
    onDone: () => void;
}

export function EditBox({ event, place, onDone }: EditBoxProps) {
    const t = useTranslations("message");
    const { room, edit } = useOpenRoom();
    const { body: before, files } = writtenIn(event.content) ?? { body: "", files: [] };
    const [text, setText] = useState(before);
    const [isBusy, setIsBusy] = useState(false);
    const [problem, setProblem] = useState<Problem>();
    const field = useRef<HTMLTextAreaElement>(null);
    const earlier = useLastOwn(place === "thread" ? event.parent_event_id : "");

    useEffect(() => {
        const box = field.current;
        box?.focus();
        box?.setSelectionRange(box.value.length, box.value.length);
    }, []);

    async function save(): Promise<void> {
        const body = text.trim();
        if ((body === "" && files.length === 0) || body === before) {
            onDone();
            return;
        }
        setIsBusy(true);
        setProblem(undefined);
        try {
            room.receive(await editEvent(room.roomId, event.id, contentOf({ body, files })));
            onDone();
        } catch (thrown) {
            setProblem(problemOf(thrown));
            setIsBusy(false);
        }
    }

    function press(key: KeyboardEvent): void {
        if (key.key === "Enter" && !key.shiftKey) {
            key.preventDefault();
            void save();
        } else if (key.key === "Escape") {
            key.preventDefault();
            onDone();
        } else if (key.key === "ArrowUp" && text === before) {
            const eventId = earlier(event.id);
            if (eventId !== undefined) {
                key.preventDefault();
                edit(eventId, place);
            }
        }
        // The list's own keys must not move while one writes.
        key.stopPropagation();
    }

    return (
        <div className={styles.edit}>
            {problem && <ProblemNote problem={problem} />}
            <textarea
                ref={field}
                rows={1}
                className={styles.field}
                aria-label={t("editBox")}
                value={text}
                readOnly={isBusy}
                onChange={(change) => setText(change.target.value)}
                onKeyDown={press}
            />
            <div className={styles.actions}>
                <Button look="filled" onPress={() => void save()} isDisabled={isBusy}>
                    {t("save")}
                </Button>
                <Button onPress={onDone}>{t("cancel")}</Button>
            </div>
        </div>
    );
}
