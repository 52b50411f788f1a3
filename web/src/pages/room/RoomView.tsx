// SPDX-License-Identifier: Apache-2.0
// An open room: header, messages, the field to write in, and a panel beside them.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { fetchRoom } from "../../api/calls";
import type { RoomDetail } from "../../api/model";
import type { Deletions } from "../../store/deletions";
import { ownParticipant, speakerName } from "../../store/participants";
import type { RoomSession } from "../../store/roomSession";
import { ProblemNote } from "../../ui/ProblemNote";
import { isTouch } from "../../ui/touch";
import { useReadable } from "../../ui/useReadable";
import { useRoomName } from "../rooms/useRooms";
import { useSession } from "../shell/SessionContext";
import { usePageTitle } from "../shell/usePageTitle";
import { ClosedBar } from "./ClosedBar";
import { Composer } from "./Composer";
import { MessageList } from "./MessageList";
import { PeoplePanel } from "./PeoplePanel";
import { type ComposerHandle, isOpenToWrite, type OpenRoom, RoomContext } from "./RoomContext";
import { RoomHeader } from "./RoomHeader";
import { GoneRoom, TimelineSkeleton } from "./RoomStates";
import styles from "./RoomView.module.css";
import { ThreadPanel } from "./ThreadPanel";
import { TypingLine } from "./TypingLine";
import { useRoomSession } from "./useRoomSession";
import { useUserNames } from "./useUserNames";

/** Most rooms have no agent that asks. */
const OpenQuestions = lazy(() =>
    import("../approvals/OpenQuestions").then(({ OpenQuestions }) => ({ default: OpenQuestions })),
);

export interface RoomViewProps {
    roomId: string;
    /** Of the page that the room is a part of: its header stands above, and the room has none. */
    pageTitle?: string;
}

export function RoomView({ roomId, pageTitle }: RoomViewProps) {
    const { at } = useSearch({ strict: false });
    const { room, deletions } = useRoomSession(roomId, at);
    const { data: detail } = useQuery({
        queryKey: ["room", roomId],
        queryFn: () => fetchRoom(roomId),
    });
    return room ? (
        <OpenedRoom room={room} deletions={deletions} detail={detail} pageTitle={pageTitle} />
    ) : null;
}

interface OpenedRoomProps {
    pageTitle: string | undefined;
    room: RoomSession;
    deletions: Deletions;
    detail: RoomDetail | undefined;
}

function useOpened({ room, deletions, detail }: Omit<OpenedRoomProps, "pageTitle">): OpenRoom {
    const t = useTranslations("message");
    const { me } = useSession();
    const navigate = useNavigate();
    const users = useUserNames(me);
    const [editing, setEditing] = useState<OpenRoom["editing"]>();
    const timelineComposer = useRef<ComposerHandle>(null);
    const threadComposer = useRef<ComposerHandle>(null);
    return useMemo(() => {
        const people = detail?.participants ?? [];
        const participants = new Map(people.map((each) => [each.id, each]));
        const composers = { timeline: timelineComposer, thread: threadComposer };
        return {
            room,
            detail,
            deletions,
            participants,
            ownId: ownParticipant(people, me)?.id ?? me.user.id,
            editing,
            edit: (eventId, place) => {
                setEditing(eventId === undefined ? undefined : { eventId, place });
                if (eventId === undefined) {
                    composers[place].current?.focus();
                }
            },
            openThread: (thread) =>
                void navigate({
                    to: ".",
                    search: (held) => ({ ...held, thread, panel: undefined }),
                }),
            composers,
            nameOf: (event) => {
                // Who operates the server may write without taking part.
                const user = users.get(event.source.participant_id);
                const isKnown = participants.has(event.source.participant_id);
                return user !== undefined && !isKnown
                    ? user
                    : speakerName(event, participants, t("someone"));
            },
        };
    }, [room, detail, deletions, me, users, editing, navigate, t]);
}

function OpenedRoom(props: OpenedRoomProps) {
    const { room, detail, pageTitle } = props;
    const { thread, panel } = useSearch({ strict: false });
    const navigate = useNavigate();
    const opened = useOpened(props);
    const nameOf = useRoomName();
    const name = nameOf(detail ?? { id: room.roomId, name: "", external_id: "" });
    const { phase, problem } = useReadable(room.state);
    usePageTitle(pageTitle ?? name);

    const hasPanel = thread !== undefined || panel !== undefined;
    function closePanel(): void {
        void navigate({
            to: ".",
            search: (held) => ({ ...held, thread: undefined, panel: undefined }),
        });
        opened.composers.timeline.current?.focus();
    }
    const isReady = phase === "ready";
    useEffect(() => {
        if (isReady && !isTouch()) {
            opened.composers.timeline.current?.focus();
        }
    }, [isReady, opened.composers.timeline]);

    if (phase === "gone") {
        return <GoneRoom />;
    }
    return (
        <RoomContext value={opened}>
            <div
                className={`${styles.room} ${hasPanel ? styles.withPanel : ""}`}
                onKeyDown={(key) => {
                    if (
                        key.key === "Escape" &&
                        !key.shiftKey &&
                        !key.defaultPrevented &&
                        hasPanel
                    ) {
                        closePanel();
                    }
                }}
            >
                <div className={styles.main} data-region="">
                    {pageTitle === undefined && <RoomHeader name={name} />}
                    {phase === "loading" && <TimelineSkeleton />}
                    {phase === "failed" && problem && (
                        <div className={styles.failed}>
                            <ProblemNote problem={problem} onRetry={() => void room.open()} />
                        </div>
                    )}
                    {isReady && <MessageList />}
                    <Suspense>{isReady && <OpenQuestions roomId={room.roomId} />}</Suspense>
                    <TypingLine />
                    {isOpenToWrite(detail) ? (
                        <Composer place="timeline" thread="" name={name} />
                    ) : (
                        <ClosedBar />
                    )}
                </div>
                {thread !== undefined && (
                    <ThreadPanel key={thread} rootId={thread} onClose={closePanel} />
                )}
                {thread === undefined && panel === "people" && <PeoplePanel onClose={closePanel} />}
            </div>
        </RoomContext>
    );
}
