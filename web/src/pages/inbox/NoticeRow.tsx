// SPDX-License-Identifier: Apache-2.0
// One notification: what happened, to what, and when.
import { CircleAlert, CircleCheck, FileCheck, ShieldQuestion } from "lucide-react";
import { Link } from "react-aria-components";
import { useTranslations } from "use-intl";
import type { Notification } from "../../api/model";
import { withoutTurns } from "../../store/exactText";
import { pageOf, readNotice } from "../../store/notices";
import { Button } from "../../ui/Button";
import { Time } from "../../ui/Time";
import styles from "./Notices.module.css";

const ICONS = {
    draft_ready: FileCheck,
    generation_failed: CircleAlert,
    approval_request: ShieldQuestion,
    execution_completed: CircleCheck,
};

/** How an execution ended decides the sentence; of a kind that is not known the subject says it. */
const ENDS = { completed: "completed", failed: "failed", cancelled: "ended" } as const;
const KINDS = {
    draft_ready: "draftReady",
    generation_failed: "draftFailed",
    approval_request: "approvalWanted",
} as const;

function useSentence(notification: Notification): string {
    const t = useTranslations("notices");
    const { subject, outcome } = readNotice(notification);
    const name = withoutTurns(subject);
    if (notification.kind !== "execution_completed") {
        const kind = KINDS[notification.kind];
        return kind === undefined ? name : t(kind, { name });
    }
    return outcome ? t(ENDS[outcome], { name }) : name;
}

export interface NoticeRowProps {
    notification: Notification;
    isBusy: boolean;
    onRead: () => void;
}

export function NoticeRow({ notification, isBusy, onRead }: NoticeRowProps) {
    const t = useTranslations("notices");
    const sentence = useSentence(notification);
    const { outcome, tasks, text } = readNotice(notification);
    const isBad = notification.kind === "generation_failed" || outcome === "failed";
    const Icon = isBad ? CircleAlert : (ICONS[notification.kind] ?? CircleCheck);
    const page = pageOf(notification.link);
    const words = [
        tasks &&
            (notification.kind === "execution_completed"
                ? t("tasksDone", { ...tasks })
                : t("tasks", { count: tasks.of })),
        withoutTurns(text),
    ].filter((each) => each);
    return (
        <li
            className={styles.row}
            data-notification={notification.id}
            data-bad={isBad || undefined}
        >
            <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
            <span className={styles.words}>
                <span className={styles.sentence} dir="auto">
                    {page === undefined ? (
                        sentence
                    ) : (
                        <Link href={page} onPress={onRead}>
                            {sentence}
                        </Link>
                    )}
                </span>
                <span className={styles.meta}>
                    <Time at={notification.created_at} as="distance" />
                    {words.map((each) => (
                        <span key={each} dir="auto">
                            {each}
                        </span>
                    ))}
                </span>
            </span>
            <Button
                look="quiet"
                isDisabled={isBusy}
                aria-label={t("markReadOf", { name: sentence })}
                onPress={onRead}
            >
                {t("markRead")}
            </Button>
        </li>
    );
}
