// SPDX-License-Identifier: Apache-2.0
// Suggests people while an @ and a beginning of a name are written, and puts the chosen one in.
import { type KeyboardEvent, type RefObject, useState } from "react";
import { flushSync } from "react-dom";
import type { Participant } from "../../api/model";
import { mentionAt, suggested, withMention } from "../../store/mentions";
import { useOpenRoom } from "./RoomContext";

export interface Mentions {
    people: readonly Participant[];
    /** Which of them Enter takes. */
    chosen: number;
    pick(person: Participant): void;
    /** Told of every change of the text and of where one writes. */
    look(field: HTMLTextAreaElement): void;
    /** Whether the key was for the suggestions. */
    press(key: KeyboardEvent): boolean;
    close(): void;
}

export function useMentions(
    field: RefObject<HTMLTextAreaElement | null>,
    write: (text: string) => void,
): Mentions {
    const { participants, ownId } = useOpenRoom();
    const [people, setPeople] = useState<readonly Participant[]>([]);
    const [chosen, setChosen] = useState(0);

    function queryIn(box: HTMLTextAreaElement) {
        return box.selectionStart === box.selectionEnd
            ? mentionAt(box.value, box.selectionStart)
            : undefined;
    }

    function close(): void {
        setPeople([]);
        setChosen(0);
    }

    function pick(person: Participant): void {
        const box = field.current;
        const query = box && queryIn(box);
        if (!box || !query) {
            return;
        }
        const put = withMention(box.value, query, person.display_name);
        // At once, because the next letter may be on its way: only what the field has can be pointed into.
        flushSync(() => {
            write(put.text);
            close();
        });
        box.focus();
        box.setSelectionRange(put.caret, put.caret);
    }

    return {
        people,
        chosen,
        pick,
        close,
        look: (box) => {
            const query = queryIn(box);
            const found = query ? suggested([...participants.values()], query.wanted, ownId) : [];
            // A name that stands there in full needs no suggestion.
            const isDone = found.length === 1 && found[0]?.display_name === query?.wanted;
            setPeople(isDone ? [] : found);
            setChosen(0);
        },
        press: (key) => {
            const person = people[chosen];
            if (!person) {
                return false;
            }
            if (key.key === "ArrowDown" || key.key === "ArrowUp") {
                const step = key.key === "ArrowDown" ? 1 : -1;
                setChosen((chosen + step + people.length) % people.length);
            } else if ((key.key === "Enter" || key.key === "Tab") && !key.shiftKey) {
                pick(person);
            } else if (key.key === "Escape") {
                close();
            } else {
                return false;
            }
            key.preventDefault();
            return true;
        },
    };
}
