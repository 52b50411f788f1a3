// SPDX-License-Identifier: Apache-2.0
// The field one writes in: Enter sends, the draft is kept, the others see that one types.
import { CircleStop, Paperclip, SendHorizontal } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useImperativeHandle, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { mentionedIn } from "../../store/mentions";
import { preferences } from "../../store/preferences";
import { IconButton } from "../../ui/Button";
import { showToast } from "../../ui/toast";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "../shell/SessionContext";
import styles from "./Composer.module.css";
import { FileTray } from "./FileTray";
import { MentionList, optionId } from "./MentionList";
import { type Place, useOpenRoom } from "./RoomContext";
import { useFiles } from "./useFiles";
import { useLastOwn } from "./useLastOwn";
import { useMentions } from "./useMentions";
import { useStop, useStopKey } from "./useStop";

/** How often it is said again that one types: often enough that it does not fall on the other side. */
const TYPING_EVERY_MS = 3_000;

function useTyping(): (text: string) => void {
    const { room } = useOpenRoom();
    const saidAt = useRef(0);
    useEffect(
        () => () => {
            if (saidAt.current !== 0) {
                room.sayTyping(false);
            }
        },
        [room],
    );
    return (text) => {
        const isTyping = text.trim() !== "";
        if (!isTyping && saidAt.current !== 0) {
            saidAt.current = 0;
            room.sayTyping(false);
        } else if (isTyping && Date.now() - saidAt.current > TYPING_EVERY_MS) {
            saidAt.current = Date.now();
            room.sayTyping(true);
        }
    };
}

/** There while the agent answers. */
function StopButton() {
    const t = useTranslations("agent");
    const { isRunning, isStopping, stop } = useStop();
    useStopKey(isRunning && !isStopping ? () => void stop() : undefined);
    return isRunning ? (
        <IconButton
            label={t(isStopping ? "stopping" : "stop")}
            isDisabled={isStopping}
            onPress={() => void stop()}
        >
            <CircleStop size={20} strokeWidth={1.75} />
        </IconButton>
    ) : null;
}

export interface ComposerProps {
    place: Place;
    thread: string;
    name: string;
}

export function Composer({ place, thread, name }: ComposerProps) {
    const t = useTranslations("composer");
    const session = useSession();
    const { room, agent, participants, composers, edit } = useOpenRoom();
    const { sendKey } = useReadable(preferences);
    const listId = useId();
    const [text, setText] = useState(() => session.drafts.get(room.roomId, thread));
    const field = useRef<HTMLTextAreaElement>(null);
    const picker = useRef<HTMLInputElement>(null);
    const files = useFiles(thread);
    const sayTyping = useTyping();
    const lastOwn = useLastOwn(thread);
    const label = place === "thread" ? t("threadLabel") : t("label", { name });

    function write(next: string): void {
        setText(next);
        session.drafts.set(room.roomId, thread, next);
        sayTyping(next);
    }

    const mentions = useMentions(field, write);

    useImperativeHandle(composers[place], () => ({
        focus: () => field.current?.focus(),
        put: (put, media) => {
            write([text, put].filter((part) => part.trim() !== "").join("\n"));
            session.uploads.putBack(room.roomId, thread, media);
            field.current?.focus();
        },
    }));

    function send(): void {
        const body = text.trim();
        if (body === "" && files.uploads.length === 0) {
            return;
        }
        const media = session.uploads.take(room.roomId, thread);
        if (!media) {
            showToast({ text: t("filesFirst") });
            return;
        }
        const named = mentionedIn(body, [...participants.values()]);
        // What asks the agent is its turn at once; with files, names or in a thread it is a message that waits for one.
        const isTurn = agent && thread === "" && named.length === 0 && media.length === 0;
        session.outbox.add(room.roomId, thread, body, named, media, isTurn ? "turn" : "message");
        room.wrote();
        write("");
        mentions.close();
        field.current?.focus();
    }

    function press(key: KeyboardEvent<HTMLTextAreaElement>): void {
        if (mentions.press(key)) {
            return;
        }
        const isSend = sendKey === "enter" || key.ctrlKey || key.metaKey;
        if (key.key === "Enter" && !key.shiftKey && isSend) {
            key.preventDefault();
            send();
        } else if (key.key === "ArrowUp" && text === "") {
            const eventId = lastOwn();
            if (eventId !== undefined) {
                key.preventDefault();
                edit(eventId, place);
            }
        }
    }

    return (
        <form
            className={styles.composer}
            {...files.zone}
            onSubmit={(submit) => {
                submit.preventDefault();
                send();
            }}
        >
            <MentionList id={listId} mentions={mentions} />
            <FileTray uploads={files.uploads} />
            <div className={`${styles.box} ${files.isOver ? styles.over : ""}`}>
                <textarea
                    ref={field}
                    rows={1}
                    data-region-start=""
                    className={styles.field}
                    aria-label={label}
                    placeholder={place === "thread" ? t("threadLabel") : t("placeholder", { name })}
                    aria-autocomplete="list"
                    aria-controls={mentions.people.length > 0 ? listId : undefined}
                    aria-activedescendant={
                        mentions.people.length > 0 ? optionId(listId, mentions.chosen) : undefined
                    }
                    value={text}
                    onChange={(change) => {
                        write(change.target.value);
                        mentions.look(change.target);
                    }}
                    onKeyDown={press}
                    onPaste={files.onPaste}
                    onBlur={() => {
                        sayTyping("");
                        mentions.close();
                    }}
                />
                <input
                    ref={picker}
                    type="file"
                    multiple
                    hidden
                    onChange={({ target }) => {
                        files.add([...(target.files ?? [])]);
                        // The same file can be picked again.
                        target.value = "";
                        field.current?.focus();
                    }}
                />
                <IconButton label={t("attach")} onPress={() => picker.current?.click()}>
                    <Paperclip size={20} strokeWidth={1.75} />
                </IconButton>
                {place === "timeline" && <StopButton />}
                <IconButton
                    label={t("send")}
                    type="submit"
                    isDisabled={text.trim() === "" && files.uploads.length === 0}
                >
                    <SendHorizontal size={20} strokeWidth={1.75} />
                </IconButton>
            </div>
            {place === "timeline" && (
                <p className={styles.hint} aria-hidden="true">
                    {sendKey === "enter"
                        ? t("hint", { enter: "Enter", shift: "Shift+Enter" })
                        : t("hint", { enter: "Ctrl+Enter", shift: "Enter" })}
                </p>
            )}
        </form>
    );
}
