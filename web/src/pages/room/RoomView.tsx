// SPDX-License-Identifier: Apache-2.0
// An open room: header, messages, the field to write in, and a panel beside them.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { AgentRoute } from "../../api/agent";
import { fetchRoom } from "../../api/calls";
import type { RoomDetail } from "../../api/model";
import type { Deletions } from "../../store/deletions";
import { Folds } from "../../store/folds";
import { ownParticipant, speakerName } from "../../store/participants";
import type { RoomSession } from "../../store/roomSession";
import { ProblemNote } from "../../ui/ProblemNote";
import { isTouch } from "../../ui/touch";
import { useReadable } from "../../ui/useReadable";
import { useRoomName } from "../rooms/useRooms";
import { useSession } from "../shell/SessionContext";
import { AgentLine } from "./AgentLine";
import { ClosedBar } from "./ClosedBar";
import { Composer } from "./Composer";
import { MessageList } from "./MessageList";
import { type ComposerHandle, isOpenToWrite, type OpenRoom, RoomContext } from "./RoomContext";
import { RoomHeader } from "./RoomHeader";
import { GoneRoom, TimelineSkeleton } from "./RoomStates";
import styles from "./RoomView.module.css";
import { TypingLine } from "./TypingLine";
import { type FoundAgent, useAgent } from "./useAgent";
import { useAgentNames } from "./useAgentNames";
import { useRoomSession } from "./useRoomSession";
import { useUserNames } from "./useUserNames";

/** Beside the room only where somebody opens them. */
const ThreadPanel = lazy(() =>
    import("./ThreadPanel").then(({ ThreadPanel }) => ({ default: ThreadPanel })),
);
const PeoplePanel = lazy(() =>
    import("./PeoplePanel").then(({ PeoplePanel }) => ({ default: PeoplePanel })),
);

/** Most rooms have no agent that asks. */
const OpenQuestions = lazy(() =>
    import("../approvals/OpenQuestions").then(({ OpenQuestions }) => ({ default: OpenQuestions })),
);

export interface RoomViewProps {
    roomId: string;
    /** By which way its agent is asked. Left out: by that of the room. */
    agentRoute?: AgentRoute;
    /** Whether the person may ask the agent: others read along. */
    mayDrive?: boolean;
    /** A `part` stands in a page with a title of its own, and leaves the focus where it is. */
    as?: "page" | "part";
}

/** Where it stands, the address has to keep what `roomSearch` reads. */
export function RoomView({
    roomId,
    agentRoute = { kind: "room", id: roomId },
    mayDrive = true,
    as = "page",
}: RoomViewProps) {
    const { at } = useSearch({ strict: false });
    const { room, deletions } = useRoomSession(roomId, at);
    const { data: detail } = useQuery({
        queryKey: ["room", roomId],
        queryFn: () => fetchRoom(roomId),
    });
    const found = useAgent(roomId, agentRoute, detail);
    return room ? <OpenedRoom {...{ room, deletions, detail, found, mayDrive, as }} /> : null;
}

interface OpenedRoomProps {
    room: RoomSession;
    deletions: Deletions;
    detail: RoomDetail | undefined;
    found: FoundAgent;
    mayDrive: boolean;
    as: "page" | "part";
}

function useOpened({ room, deletions, detail, found }: OpenedRoomProps): OpenRoom {
    const t = useTranslations();
    const { agent } = found;
    const { me } = useSession();
    const navigate = useNavigate();
    const users = useUserNames(me);
    const [editing, setEditing] = useState<OpenRoom["editing"]>();
    const timelineComposer = useRef<ComposerHandle>(null);
    const threadComposer = useRef<ComposerHandle>(null);
    const showEnd = useRef<() => void>(() => undefined);
    const [folds] = useState(() => new Folds());
    const agents = useAgentNames(detail, me);
    return useMemo(() => {
        const people = detail?.participants ?? [];
        const participants = new Map(people.map((each) => [each.id, each]));
        const composers = { timeline: timelineComposer, thread: threadComposer };
        const someone = t("message.someone");
        const nameOfAgent = (channel: string) => agents.get(channel) || t("agent.name");
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
            nameOfUser: (id) => participants.get(id)?.display_name || (users.get(id) ?? someone),
            agent,
            agentName: nameOfAgent(agent?.state.get().agent ?? ""),
            folds,
            showEnd,
            nameOf: (event) => {
                const { participant_id, channel_id, channel_type } = event.source;
                if (channel_type === "agent" && participant_id === "") {
                    return nameOfAgent(channel_id);
                }
                // Who operates the server may write without taking part.
                const user = users.get(participant_id);
                return user !== undefined && !participants.has(participant_id)
                    ? user
                    : speakerName(event, participants, someone);
            },
        };
    }, [room, detail, deletions, me, users, agents, agent, folds, editing, navigate, t]);
}

function OpenedRoom(props: OpenedRoomProps) {
    const { room, detail, found, mayDrive, as } = props;
    const { thread, panel } = useSearch({ strict: false });
    const navigate = useNavigate();
    const opened = useOpened(props);
    const nameOf = useRoomName();
    const name = nameOf(detail ?? { id: room.roomId, name: "", external_id: "" });
    const { phase, problem } = useReadable(room.state);

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
        if (isReady && as === "page" && !isTouch()) {
            opened.composers.timeline.current?.focus();
        }
    }, [isReady, as, opened.composers.timeline]);

    // A message that came with the room itself is not heard of: its run began before anybody listened.
    useEffect(() => {
        if (isReady) {
            found.agent?.lookAgain();
        }
    }, [isReady, found.agent]);

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
                    {as === "page" && <RoomHeader name={name} />}
                    {phase === "loading" && <TimelineSkeleton />}
                    {phase === "failed" && problem && (
                        <div className={styles.failed}>
                            <ProblemNote problem={problem} onRetry={() => void room.open()} />
                        </div>
                    )}
                    {isReady && <MessageList />}
                    <Suspense>{isReady && <OpenQuestions roomId={room.roomId} />}</Suspense>
                    {found.problem && (
                        <div className={styles.agentProblem}>
                            <ProblemNote problem={found.problem} onRetry={found.retry} />
                        </div>
                    )}
                    <div className={styles.lines}>
                        <AgentLine mayDrive={mayDrive} />
                        <TypingLine />
                    </div>
                    {mayDrive && isOpenToWrite(detail) && (
                        <Composer place="timeline" thread="" name={name} />
                    )}
                    {!isOpenToWrite(detail) && <ClosedBar />}
                </div>
                <Suspense>
                    {thread !== undefined && (
                        <ThreadPanel key={thread} rootId={thread} onClose={closePanel} />
                    )}
                    {thread === undefined && panel === "people" && (
                        <PeoplePanel onClose={closePanel} />
                    )}
                </Suspense>
            </div>
        </RoomContext>
    );
}
