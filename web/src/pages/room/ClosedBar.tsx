// SPDX-License-Identifier: Apache-2.0
// Instead of the field to write in: the room is closed, and who may, opens it again.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { reopenRoom } from "../../api/calls";
import { type Problem, problemOf } from "../../api/problem";
import { Button } from "../../ui/Button";
import { ProblemNote } from "../../ui/ProblemNote";
import { useSession } from "../shell/SessionContext";
import styles from "./Composer.module.css";
import { useOpenRoom } from "./RoomContext";

export function ClosedBar() {
    const t = useTranslations("room");
    const { room, participants, ownId } = useOpenRoom();
    const { me } = useSession();
    const queries = useQueryClient();
    const [problem, setProblem] = useState<Problem>();
    const mayReopen = me.user.role !== "member" || participants.get(ownId)?.role === "owner";

    async function reopen(): Promise<void> {
        setProblem(undefined);
        try {
            await reopenRoom(room.roomId);
            await queries.invalidateQueries({ queryKey: ["room", room.roomId] });
        } catch (thrown) {
            setProblem(problemOf(thrown));
        }
    }

    return (
        <div className={styles.closed}>
            {problem && <ProblemNote problem={problem} />}
            <p>{t("closedBar")}</p>
            {mayReopen && <Button onPress={() => void reopen()}>{t("reopen")}</Button>}
        </div>
    );
}
