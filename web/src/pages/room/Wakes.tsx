// SPDX-License-Identifier: Apache-2.0
// What the agent goes on with later: the soonest of it, the others behind a fold, each to be taken back.
import { AlarmClock } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { fetchWakes, takeWakeBack } from "../../api/agent";
import type { Wake } from "../../api/model";
import { problemOf } from "../../api/problem";
import type { AgentSession } from "../../store/agentSession";
import { announce } from "../../ui/announce";
import { Button } from "../../ui/Button";
import { useNow } from "../../ui/now";
import { Time } from "../../ui/Time";
import { showToast } from "../../ui/toast";
import { isTouch } from "../../ui/touch";
import { useAction } from "../../ui/useAction";
import { AreaWords } from "../shell/AreaWords";
import { useLiveQuery } from "../useLiveQuery";
import { useOpenRoom } from "./RoomContext";
import { useAgentView } from "./useAgentView";
import styles from "./Wakes.module.css";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What stands before the note of an agent that has itself woken: words for the model. */
const BEFORE_NOTE = /^It is time: .*?Your note: /;

function bySooner(one: Wake, other: Wake): number {
    return Date.parse(one.at) - Date.parse(other.at);
}

function useWakes(agent: AgentSession) {
    const view = useAgentView();
    const { data, refetch } = useLiveQuery({
        queryKey: ["wakes", agent.roomId],
        queryFn: () => fetchWakes(agent.route),
        isOver: (wakes) => wakes?.length === 0 && view?.status !== "scheduled",
        isTold: true,
    });
    // What the agent is at and what waits are answers to two questions: news of one makes the other old.
    const status = view?.status;
    const seen = useRef(status);
    useEffect(() => {
        if (seen.current !== status) {
            seen.current = status;
            void refetch();
        }
    }, [status, refetch]);
    const ids = data?.map(({ id }) => id).join();
    const known = useRef(ids);
    useEffect(() => {
        if (known.current !== undefined && known.current !== ids) {
            agent.lookAgain();
        }
        known.current = ids;
    }, [ids, agent]);
    return { wakes: [...(data ?? [])].sort(bySooner), refetch };
}

function When({ at }: { at: string }) {
    const t = useTranslations("later");
    const left = Date.parse(at) - useNow();
    if (left < MINUTE_MS) {
        return t(left < 0 ? "due" : "soon");
    }
    return left < HOUR_MS
        ? t.rich("in", { time: () => <Time at={at} as="ahead" /> })
        : t.rich("at", { time: () => <Time at={at} as="moment" /> });
}

interface WakeRowProps {
    wake: Wake;
    /** Undefined: the person may only read it. */
    takeBack: (() => Promise<void>) | undefined;
}

function WakeRow({ wake, takeBack }: WakeRowProps) {
    const t = useTranslations("later");
    const { agentName, nameOfUser } = useOpenRoom();
    const { isBusy, run } = useAction();
    const textId = useId();
    // The agent's own has the key of the call that set it, with the places of that call in its run.
    const isOwn = wake.id.includes(":");
    const text = isOwn ? wake.text.replace(BEFORE_NOTE, "") : wake.text;
    const name = isOwn ? agentName : nameOfUser(wake.acting_for);
    return (
        <li className={styles.wake} data-wake={wake.id}>
            <AlarmClock size={16} strokeWidth={1.75} aria-hidden="true" />
            <div className={styles.words}>
                <span className={styles.when}>
                    <When at={wake.at} />
                </span>
                <span className={styles.by}> · {t("setBy", { name })}</span>
                <span id={textId} className={styles.text} title={text}>
                    {text}
                </span>
            </div>
            {takeBack && (
                <Button
                    look="quiet"
                    isDisabled={isBusy}
                    aria-describedby={textId}
                    onPress={() => void run(takeBack)}
                >
                    {t(isBusy ? "takingBack" : "takeBack")}
                </Button>
            )}
        </li>
    );
}

function WakeList({ agent, mayDrive }: WakesProps) {
    const t = useTranslations("later");
    const tAgent = useTranslations("agent");
    const tProblem = useTranslations("problem");
    const { composers } = useOpenRoom();
    const { wakes, refetch } = useWakes(agent);
    const [isOpen, setIsOpen] = useState(false);
    const [soonest, ...others] = wakes;
    if (!soonest) {
        return null;
    }

    /** The row goes when the server's list is without it, also where it has begun meanwhile. */
    async function takeBack(id: string): Promise<void> {
        try {
            await takeWakeBack(agent.route, id);
            announce(t("takenBack"));
        } catch (thrown) {
            const problem = problemOf(thrown);
            const hasBegun = problem.code === "WAKE_BEGUN";
            showToast({ text: hasBegun ? t("begun") : tProblem(problem.sentence) });
        }
        const { data } = await refetch();
        // The button that had the focus is gone.
        if (!isTouch() && !data?.some((wake) => wake.id === id)) {
            composers.timeline.current?.focus();
        }
    }

    return (
        <section className={styles.wakes} aria-label={t("title")} data-testid="wakes">
            <ul>
                {(isOpen ? wakes : [soonest]).map((wake) => (
                    <WakeRow
                        key={wake.id}
                        wake={wake}
                        takeBack={mayDrive ? () => takeBack(wake.id) : undefined}
                    />
                ))}
            </ul>
            {others.length > 0 && (
                <Button look="quiet" aria-expanded={isOpen} onPress={() => setIsOpen(!isOpen)}>
                    {isOpen ? tAgent("fold") : tAgent("more", { count: others.length })}
                </Button>
            )}
        </section>
    );
}

export interface WakesProps {
    agent: AgentSession;
    /** Others than who asks the agent only read it. */
    mayDrive: boolean;
}

export default function Wakes(props: WakesProps) {
    return (
        <AreaWords area="later">
            <WakeList {...props} />
        </AreaWords>
    );
}
