// SPDX-License-Identifier: Apache-2.0
// A line for what happened in the room without anybody saying it.
import { useTranslations } from "use-intl";
import type { RoomEvent } from "../../api/model";
import { wordsOf } from "../../store/content";
import { Time } from "../../ui/Time";
import styles from "./Notice.module.css";
import { useOpenRoom } from "./RoomContext";

function useNoticeText(event: RoomEvent): string {
    const t = useTranslations("message");
    const { participants, nameOf } = useOpenRoom();
    const data = event.content.type === "system" ? event.content.data : undefined;
    const id = typeof data?.participant_id === "string" ? data.participant_id : "";
    const who = participants.get(id)?.display_name ?? nameOf(event);
    switch (event.type) {
        case "participant_joined":
            return t("joined", { name: who });
        case "participant_left":
            return t("left", { name: who });
        case "channel_attached":
            return t("attached");
        case "channel_detached":
            return t("detached");
        case "task_created":
            return t("taskCreated");
        default:
            return wordsOf(event.content) || t("notice");
    }
}

export function Notice({ event }: { event: RoomEvent }) {
    return (
        <p className={styles.notice}>
            {useNoticeText(event)} <Time at={event.created_at} as="clock" />
        </p>
    );
}
