// SPDX-License-Identifier: Apache-2.0
// One notification: what happened, to what, and when.
import { CircleAlert, CircleCheck, FileCheck, ShieldQuestion } from "lucide-react";
import { Link } from "react-aria-components";
import { useTranslations } from "use-intl";
import type { Notification } from "../../api/model";
import { withoutTurns } from "../../store/exactText";
import { pageOf, sentenceOf } from "../../store/notices";
import { Button } from "../../ui/Button";
import { Time } from "../../ui/Time";
import { AreaWords } from "../shell/AreaWords";
import { useFailure } from "../workflows/StatusMark";
import styles from "./Notices.module.css";

const ICONS = {
    draft_ready: FileCheck,
    generation_failed: CircleAlert,
    approval_request: ShieldQuestion,
    execution_completed: CircleCheck,
};

function useSentence(notification: Notification): string {
    const t = useTranslations("notices");
    const name = withoutTurns(notification.subject.name);
    const sentence = sentenceOf(notification);
    return sentence === undefined ? name : t(sentence, { name });
}

/** Why an agent made nothing, as the workflow's page says it. */
function Reason({ word }: { word: string }) {
    const say = useFailure();
    return <span dir="auto">{withoutTurns(say(word))}</span>;
}

export interface NoticeRowProps {
    notification: Notification;
    isBusy: boolean;
    onRead: () => void;
}

export function NoticeRow({ notification, isBusy, onRead }: NoticeRowProps) {
    const t = useTranslations("notices");
    const sentence = useSentence(notification);
    const { kind, outcome, tasks, error } = notification;
    const isBad = outcome === "failed";
    const Icon = isBad ? CircleAlert : (ICONS[kind] ?? CircleCheck);
    const page = pageOf(notification.link);
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
                    {tasks && (
                        <span>
                            {kind === "execution_completed"
                                ? t("tasksDone", { done: tasks.completed, of: tasks.total })
                                : t("tasks", { count: tasks.total })}
                        </span>
                    )}
                    {error !== "" && (
                        <AreaWords area="work">
                            <Reason word={error} />
                        </AreaWords>
                    )}
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
