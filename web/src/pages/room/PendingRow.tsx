// SPDX-License-Identifier: Apache-2.0
// A message on its way, or one that was refused: its text stays until it is sent or given up.
import { CircleAlert, Clock3 } from "lucide-react";
import { useTranslations } from "use-intl";
import { RunInProgress } from "../../api/agent";
import type { OutboxEntry } from "../../store/outbox";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { Markdown } from "../../ui/Markdown";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "../shell/SessionContext";
import { MessageFiles } from "./MessageFiles";
import rows from "./MessageRow.module.css";
import styles from "./PendingRow.module.css";
import { useOpenRoom } from "./RoomContext";
import { RunningNote } from "./RunningNote";

export function PendingRow({ entry, isContinued }: { entry: OutboxEntry; isContinued: boolean }) {
    const t = useTranslations();
    const session = useSession();
    const { participants, ownId, composers } = useOpenRoom();
    const isConnected = useReadable(session.connection) === "open";
    const name = participants.get(ownId)?.display_name ?? session.me.user.display_name;

    const retry = (
        <Button onPress={() => session.outbox.retry(entry.key)}>{t("message.retry")}</Button>
    );

    function change(): void {
        session.outbox.discard(entry.key);
        const place = entry.thread !== "" && composers.thread.current ? "thread" : "timeline";
        composers[place].current?.put(entry.body, entry.files);
    }

    return (
        <article
            className={`${rows.message} ${rows.own} ${isContinued ? rows.continued : ""}`}
            aria-label={name}
            data-pending={entry.state}
        >
            <div className={rows.side}>{!isContinued && <Avatar name={name} />}</div>
            <div className={rows.content}>
                {!isContinued && (
                    <p className={rows.head}>
                        <span className={rows.name}>{name}</span>
                    </p>
                )}
                <div className={entry.state === "refused" ? "" : styles.faint}>
                    {entry.body !== "" && (
                        <Markdown
                            text={entry.body}
                            names={entry.mentions
                                .map((id) => participants.get(id)?.display_name ?? "")
                                .join("\n")}
                        />
                    )}
                    <MessageFiles files={entry.files} />
                </div>
                {entry.state === "refused" ? (
                    <div role="alert" className={styles.refused}>
                        <CircleAlert size={16} strokeWidth={1.75} aria-hidden="true" />
                        {entry.problem instanceof RunInProgress ? (
                            <RunningNote problem={entry.problem} retry={retry} />
                        ) : (
                            <>
                                <span className={styles.why}>
                                    <b>{t("message.refused")}</b>{" "}
                                    {t(`problem.${entry.problem?.sentence ?? "UNKNOWN"}`)}
                                </span>
                                {retry}
                            </>
                        )}
                        <Button look="quiet" onPress={change}>
                            {t("message.change")}
                        </Button>
                        <Button look="quiet" onPress={() => session.outbox.discard(entry.key)}>
                            {t("message.discard")}
                        </Button>
                    </div>
                ) : (
                    <p className={styles.state}>
                        <Clock3 size={12} strokeWidth={1.75} aria-hidden="true" />
                        {t(isConnected ? "message.sending" : "message.kept")}
                    </p>
                )}
            </div>
        </article>
    );
}
