// SPDX-License-Identifier: Apache-2.0
// How a question ended: by whom, when, and with which words or answer.
import { Ban, CircleCheck, CircleX, ClockAlert, CornerUpLeft } from "lucide-react";
import type { Ref } from "react";
import { useTranslations } from "use-intl";
import type { Approval } from "../../api/model";
import { exactJson, stopOf, withoutTurns } from "../../store/exactText";
import { Time } from "../../ui/Time";
import styles from "./ApprovalCard.module.css";
import type { ApprovalPeople } from "./useApprovalPeople";

const ICONS = {
    approved: CircleCheck,
    rejected: CircleX,
    returned: CornerUpLeft,
    expired: ClockAlert,
    cancelled: Ban,
};

export type Settled = keyof typeof ICONS;

export function isSettled(status: string): status is Settled {
    return Object.hasOwn(ICONS, status);
}

/** The sentence of each end; of a question it is another one. */
const SENTENCES = {
    approval: {
        approved: "approvedBy",
        rejected: "rejectedBy",
        returned: "returnedBy",
        expired: "expired",
        cancelled: "cancelled",
    },
    input: {
        approved: "answeredBy",
        rejected: "declinedBy",
        returned: "returnedBy",
        expired: "expired",
        cancelled: "cancelled",
    },
} as const;

export function sentenceOf(kind: Approval["kind"], status: Settled) {
    return SENTENCES[kind][status];
}

interface OutcomeProps {
    asked: Approval;
    status: Settled;
    people: ApprovalPeople;
    ref: Ref<HTMLParagraphElement>;
}

export function Outcome({ asked, status, people, ref }: OutcomeProps) {
    const t = useTranslations("approvals");
    const Icon = ICONS[status];
    const { response } = asked;
    const hasWords = response !== null && response !== undefined && response !== "";
    const when = asked.decided_at ?? asked.expires_at;
    return (
        <>
            <p ref={ref} tabIndex={-1} className={styles.outcome} data-outcome={status}>
                <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
                <span>
                    {t(sentenceOf(asked.kind, status), { name: people.nameOf(asked.decided_by) })}{" "}
                    {(asked.decided_at !== null || status === "expired") && (
                        <span className={styles.meta}>
                            <Time at={when} as="moment" />
                        </span>
                    )}
                </span>
            </p>
            {hasWords && typeof response === "string" && (
                <p className={styles.words} dir="auto" tabIndex={stopOf(response)}>
                    {withoutTurns(response)}
                </p>
            )}
            {hasWords && typeof response !== "string" && (
                <pre className={styles.exact} tabIndex={stopOf(exactJson(response))} dir="ltr">
                    {exactJson(response)}
                </pre>
            )}
        </>
    );
}
