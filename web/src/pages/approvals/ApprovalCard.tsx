// SPDX-License-Identifier: Apache-2.0
// What an agent asks, with all that one has to know to decide it; decided, it says by whom.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleHelp, ShieldQuestion, X } from "lucide-react";
import { type FocusEvent, useEffect, useId, useRef } from "react";
import { useTranslations } from "use-intl";
import type { Approval } from "../../api/model";
import { type Problem, problemOf } from "../../api/problem";
import { stopOf, withoutTurns } from "../../store/exactText";
import { IconButton } from "../../ui/Button";
import { ProblemNote } from "../../ui/ProblemNote";
import { Time } from "../../ui/Time";
import { AreaWords } from "../shell/AreaWords";
import { AllowedCalls } from "./AllowedCalls";
import { AnswerForm } from "./AnswerForm";
import styles from "./ApprovalCard.module.css";
import { Deadline } from "./Deadline";
import { isSettled, Outcome, sentenceOf } from "./Outcome";
import { type ApprovalPeople, useApprovalPeople } from "./useApprovalPeople";
import { approvalQuery } from "./useApprovals";
import { type Deciding, useDecide } from "./useDecide";
import type { Kept } from "./useKept";
import { Verdicts } from "./Verdicts";

export interface ApprovalCardProps {
    asked: Approval;
    /** On the page of its own it shows all, for as long as it is there. */
    place: "page" | "inbox" | "room";
    /** Its way on is the one that stands out in the view. */
    isFirst?: boolean;
    /** The server no longer waits, or nobody could say yet: then nothing is offered. */
    isUncertain?: boolean;
    /** Takes a decided one away. */
    onDismiss?: () => void;
}

function Facts({ asked, people, place }: { people: ApprovalPeople } & ApprovalCardProps) {
    const t = useTranslations("approvals");
    return (
        <p className={styles.facts}>
            <span>
                {place === "room"
                    ? t("asks", { agent: people.agent })
                    : t.rich("asksIn", {
                          agent: people.agent,
                          room: () => (
                              <Link to="/rooms/$roomId" params={{ roomId: asked.room_id }}>
                                  {people.room}
                              </Link>
                          ),
                      })}
            </span>
            {people.task !== "" && <span dir="auto">{t("forTask", { task: people.task })}</span>}
            <Time at={asked.created_at} as="distance" />
            {asked.status === "pending" && <Deadline at={asked.expires_at} />}
        </p>
    );
}

/** Whoever came second is told who was first, and with what. */
function Refusal({ asked, problem, people }: RefusalProps) {
    const t = useTranslations("approvals");
    const decision = problem.word("decision");
    if (problem.code === "APPROVAL_ALREADY_RESOLVED" && isSettled(decision)) {
        const name = people.nameOf(problem.word("decided_by"));
        const what = t(sentenceOf(asked.kind, decision), { name });
        return (
            <p role="alert" className={styles.late}>
                {t("late", { what })}
            </p>
        );
    }
    if (problem.status === 403) {
        return (
            <p role="alert" className={styles.late}>
                {t("notYours", { who: people.deciders })}
            </p>
        );
    }
    // What is wrong with an answer is said at its fields.
    return problem.status === 422 && asked.kind === "input" ? null : (
        <ProblemNote problem={problem} />
    );
}

interface RefusalProps {
    asked: Approval;
    problem: Problem;
    people: ApprovalPeople;
}

function Controls({ asked, deciding, people, look }: ControlsProps) {
    const t = useTranslations("approvals");
    const { problem } = deciding;
    // What is over or for others has no buttons, whatever else is known of it.
    const isRefused = problem?.status === 403 || problem?.code === "APPROVAL_EXPIRED";
    if (isRefused) {
        return null;
    }
    if (!asked.may_decide) {
        return (
            <p className={styles.waiting}>
                <span aria-hidden="true">◔</span>{" "}
                {t(asked.kind === "approval" ? "waitingFor" : "waitingForAnswer", {
                    who: people.deciders,
                })}
            </p>
        );
    }
    return asked.kind === "approval" ? (
        <Verdicts deciding={deciding} look={look} />
    ) : (
        <AreaWords area="answer">
            <AnswerForm asked={asked} deciding={deciding} look={look} />
        </AreaWords>
    );
}

interface ControlsProps {
    asked: Approval;
    deciding: Deciding;
    people: ApprovalPeople;
    look: "filled" | "outlined";
}

/** Whoever stands in a card that is decided stands on what was decided: what had the focus is gone. */
function useFocusOnOutcome(isPending: boolean) {
    const outcome = useRef<HTMLParagraphElement>(null);
    const isInside = useRef(false);
    useEffect(() => {
        if (!isPending && isInside.current) {
            outcome.current?.focus();
        }
    }, [isPending]);
    const around = {
        onFocus: () => {
            isInside.current = true;
        },
        onBlur: (blur: FocusEvent) => {
            isInside.current = blur.currentTarget.contains(blur.relatedTarget);
        },
    };
    return { outcome, around };
}

export function ApprovalCard(props: ApprovalCardProps) {
    const { asked, place, isFirst = false, isUncertain = false, onDismiss } = props;
    const t = useTranslations("approvals");
    const titleId = useId();
    const people = useApprovalPeople(asked);
    const deciding = useDecide(asked);
    const { status } = asked;
    const isPending = status === "pending";
    const { outcome, around } = useFocusOnOutcome(isPending);
    const Icon = asked.kind === "approval" ? ShieldQuestion : CircleHelp;
    const Heading = place === "inbox" ? "h3" : "h2";
    const title = withoutTurns(asked.title);
    const hasDetails = asked.description !== "" || asked.kind === "approval";
    return (
        <article
            {...around}
            className={styles.card}
            aria-labelledby={titleId}
            data-approval={asked.id}
            data-status={status}
            data-place={place}
        >
            <header className={styles.header}>
                <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
                <Heading id={titleId} className={styles.title} dir="auto">
                    {place === "page" ? (
                        title
                    ) : (
                        <Link to="/approvals/$approvalId" params={{ approvalId: asked.id }}>
                            {title}
                        </Link>
                    )}
                </Heading>
                {!isPending && onDismiss && (
                    <IconButton label={t("dismiss", { title })} size="small" onPress={onDismiss}>
                        <X size={16} strokeWidth={1.75} />
                    </IconButton>
                )}
            </header>
            <Facts asked={asked} people={people} place={place} />
            {(isPending || place === "page") && hasDetails && (
                <div
                    className={styles.details}
                    // In a room it scrolls, also by keyboard.
                    {...(place === "room" && {
                        role: "group",
                        "aria-labelledby": titleId,
                        tabIndex: 0,
                    })}
                >
                    {asked.description !== "" && (
                        <p className={styles.words} dir="auto" tabIndex={stopOf(asked.description)}>
                            {withoutTurns(asked.description)}
                        </p>
                    )}
                    {asked.kind === "approval" && (
                        <AllowedCalls calls={asked.tools} isGiven={status === "approved"} />
                    )}
                </div>
            )}
            {deciding.problem && (
                <Refusal asked={asked} problem={deciding.problem} people={people} />
            )}
            {isPending && !isUncertain && (
                <Controls
                    asked={asked}
                    deciding={deciding}
                    people={people}
                    look={isFirst ? "filled" : "outlined"}
                />
            )}
            {!isPending && <Outcome asked={asked} status={status} people={people} ref={outcome} />}
        </article>
    );
}

/** A card of a list: what is no longer in the list is looked up, and says how it ended. */
export function KeptCard({
    kept,
    place,
    isFirst,
    onDismiss,
}: {
    kept: Kept;
    place: "inbox" | "room";
    isFirst: boolean;
    onDismiss: () => void;
}) {
    const { asked, isOpen } = kept;
    const { data, error, isFetchedAfterMount } = useQuery({
        ...approvalQuery(asked.id),
        enabled: !isOpen,
        staleTime: 0,
    });
    // Its room is gone, or the person is out of it.
    if (!isOpen && error && problemOf(error).status === 404) {
        return null;
    }
    const isDecided = data !== undefined && data.status !== "pending";
    return (
        <ApprovalCard
            asked={isDecided ? data : asked}
            place={place}
            isFirst={isFirst}
            isUncertain={!isOpen && !isFetchedAfterMount}
            onDismiss={onDismiss}
        />
    );
}
