// SPDX-License-Identifier: Apache-2.0
// What the agent of a room waits for, between what was said and the field to write in; nothing where it waits for nothing.
import { useTranslations } from "use-intl";
import { useLiveQuery } from "../useLiveQuery";
import { KeptCard } from "./ApprovalCard";
import styles from "./OpenQuestions.module.css";
import { byDeadline, roomApprovalsQuery } from "./useApprovals";
import { useKept } from "./useKept";

export function OpenQuestions({ roomId }: { roomId: string }) {
    const t = useTranslations("approvals");
    const { data } = useLiveQuery({ ...roomApprovalsQuery(roomId), isTold: true });
    const { kept, dismiss } = useKept([...(data?.approvals ?? [])].sort(byDeadline));
    const first = kept.find(({ isOpen }) => isOpen);
    if (kept.length === 0) {
        return null;
    }
    return (
        <section className={styles.questions} aria-label={t("openHere")}>
            {kept.map((one) => (
                <KeptCard
                    key={one.asked.id}
                    kept={one}
                    place="room"
                    isFirst={one === first}
                    onDismiss={() => dismiss(one.asked.id)}
                />
            ))}
        </section>
    );
}
