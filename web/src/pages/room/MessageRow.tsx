// SPDX-License-Identifier: Apache-2.0
// One message: who, when, what; and what one may do with it.
import { Ellipsis, MessageSquareReply, Reply, SmilePlus } from "lucide-react";
import { memo, useLayoutEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import type { RoomEvent } from "../../api/model";
import { excerptOf, filesOf, wordsOf } from "../../store/content";
import { mentionsOf } from "../../store/mentions";
import { Avatar } from "../../ui/Avatar";
import { Button, IconButton } from "../../ui/Button";
import { Markdown } from "../../ui/Markdown";
import { ProblemNote } from "../../ui/ProblemNote";
import { Time } from "../../ui/Time";
import { useReadable } from "../../ui/useReadable";
import { EditBox } from "./EditBox";
import { MessageFiles } from "./MessageFiles";
import type { OpenMenu } from "./MessageMenu";
import styles from "./MessageRow.module.css";
import { Reactions } from "./Reactions";
import { type Place, useOpenRoom } from "./RoomContext";

export interface MessageRowProps {
    event: RoomEvent;
    isContinued: boolean;
    replies: number;
    /** The message it replies to; undefined when that is not loaded. */
    root: RoomEvent | undefined;
    place: Place;
    onMenu: (open: OpenMenu) => void;
}

function Body({ event }: { event: RoomEvent }) {
    const t = useTranslations("message");
    const { participants } = useOpenRoom();
    if (event.is_deleted) {
        return <p className={styles.deleted}>{t("deleted")}</p>;
    }
    const words = wordsOf(event.content);
    const files = filesOf(event.content);
    if (words === undefined) {
        return <p className={styles.deleted}>{t("other", { kind: event.content.type })}</p>;
    }
    return (
        <>
            {(words !== "" || files.length === 0) && (
                <Markdown
                    text={words}
                    names={mentionsOf(event)
                        .map((id) => participants.get(id)?.display_name ?? "")
                        .join("\n")}
                />
            )}
            <MessageFiles files={files} />
        </>
    );
}

/** What becomes of a deletion: time to undo it, the wait for the server, or its refusal. */
function DeletionState({ event }: { event: RoomEvent }) {
    const t = useTranslations("message");
    const { deletions } = useOpenRoom();
    const deletion = useReadable(deletions.byEvent).get(event.id);
    if (deletion === undefined || event.is_deleted) {
        return null;
    }
    if (typeof deletion === "object") {
        return <ProblemNote problem={deletion} onRetry={() => deletions.begin(event.id)} />;
    }
    return (
        <p role="status" className={styles.state}>
            {t(deletion === "counting" ? "deleting" : "deleteAsked")}
            {deletion === "counting" && <UndoButton onUndo={() => deletions.undo(event.id)} />}
        </p>
    );
}

/** Takes the focus, and gives it to its message when the time is up. */
function UndoButton({ onUndo }: { onUndo: () => void }) {
    const t = useTranslations("message");
    const place = useRef<HTMLSpanElement>(null);
    useLayoutEffect(() => {
        const row = place.current?.closest<HTMLElement>("[data-row-focus]");
        return () => {
            if (place.current?.contains(document.activeElement)) {
                queueMicrotask(() => row?.focus());
            }
        };
    }, []);
    return (
        <span ref={place}>
            <Button autoFocus look="quiet" onPress={onUndo}>
                {t("undo")}
            </Button>
        </span>
    );
}

function ReplyLine({ event, root }: { event: RoomEvent; root: RoomEvent | undefined }) {
    const t = useTranslations("message");
    const { openThread, nameOf } = useOpenRoom();
    return (
        <button
            type="button"
            className={styles.replyTo}
            onClick={() => openThread(event.parent_event_id)}
        >
            <Reply size={16} strokeWidth={1.75} aria-hidden="true" />
            {root ? (
                <>
                    <span className="hidden-visually">{t("inThread")}</span>
                    <b>{nameOf(root)}</b>
                    <span>{root.is_deleted ? t("deleted") : excerptOf(root.content)}</span>
                </>
            ) : (
                <span>{t("threadGone")}</span>
            )}
        </button>
    );
}

export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
    const { event, isContinued, replies, root, place, onMenu } = props;
    const t = useTranslations("message");
    const { participants, ownId, deletions, editing, edit, openThread, nameOf } = useOpenRoom();
    const isDeleting = useReadable(deletions.byEvent).has(event.id) && !event.is_deleted;
    const isEditing = editing?.eventId === event.id && editing.place === place;
    const isAnswer = place === "timeline" && event.parent_event_id !== "" && !isContinued;
    const isOwn = event.source.participant_id === ownId;
    const role = participants.get(event.source.participant_id)?.role;
    const isAgent = role === "agent" || role === "bot" || event.source.channel_type === "agent";
    const name = nameOf(event);
    const looks = [
        styles.message,
        isContinued ? styles.continued : "",
        isAnswer ? styles.answer : "",
        isOwn ? styles.own : "",
        isAgent ? styles.agent : "",
        isDeleting ? styles.deleting : "",
        mentionsOf(event).includes(ownId) && !event.is_deleted ? styles.meant : "",
    ].join(" ");

    return (
        <article className={looks} aria-label={name}>
            <div className={styles.side}>
                {isContinued ? (
                    <span className={styles.quietTime} aria-hidden="true">
                        <Time at={event.created_at} as="clock" />
                    </span>
                ) : (
                    <Avatar name={name} kind={isAgent ? "agent" : "person"} />
                )}
            </div>
            <div className={styles.content}>
                {isAnswer && <ReplyLine event={event} root={root} />}
                {!isContinued && (
                    <p className={styles.head}>
                        <span className={styles.name}>{name}</span>
                        <span className={styles.time}>
                            <Time at={event.created_at} as="clock" />
                        </span>
                    </p>
                )}
                {isEditing ? (
                    <EditBox event={event} place={place} onDone={() => edit(undefined, place)} />
                ) : (
                    <>
                        <Body event={event} />
                        {event.is_edited && !event.is_deleted && (
                            <span className={styles.edited}>{t("edited")}</span>
                        )}
                    </>
                )}
                <DeletionState event={event} />
                {place === "timeline" && replies > 0 && (
                    <button
                        type="button"
                        className={styles.replies}
                        onClick={() => openThread(event.id)}
                    >
                        <MessageSquareReply size={16} strokeWidth={1.75} aria-hidden="true" />
                        {t("replies", { count: replies })}
                    </button>
                )}
            </div>
            {!event.is_deleted && !isEditing && (
                <div className={styles.actions}>
                    <IconButton
                        size="small"
                        label={t("react")}
                        onPress={({ target }) =>
                            onMenu({ what: "react", event, button: target as HTMLElement })
                        }
                    >
                        <SmilePlus size={16} strokeWidth={1.75} />
                    </IconButton>
                    {place === "timeline" && (
                        <IconButton
                            size="small"
                            label={t("reply")}
                            onPress={() => openThread(event.parent_event_id || event.id)}
                        >
                            <MessageSquareReply size={16} strokeWidth={1.75} />
                        </IconButton>
                    )}
                    <IconButton
                        size="small"
                        label={t("actions")}
                        onPress={({ target }) =>
                            onMenu({ what: "actions", event, button: target as HTMLElement })
                        }
                    >
                        <Ellipsis size={16} strokeWidth={1.75} />
                    </IconButton>
                </div>
            )}
            {!event.is_deleted && <Reactions eventId={event.id} />}
        </article>
    );
});
