// SPDX-License-Identifier: Apache-2.0
// Instead of the field to write in: the room is closed, and who may, opens it again.
import { useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { reopenRoom } from "../../api/calls";
import { Button } from "../../ui/Button";
import { ProblemNote } from "../../ui/ProblemNote";
import { useAction } from "../../ui/useAction";
import styles from "./Composer.module.css";
import { useOpenRoom } from "./RoomContext";
import { useRights } from "./useRights";

export function ClosedBar() {
    const t = useTranslations("room");
    const { room } = useOpenRoom();
    const { mayManage } = useRights();
    const queries = useQueryClient();
    const { isBusy, problem, run } = useAction();

    function reopen(): Promise<unknown> {
        return run(async () => {
            await reopenRoom(room.roomId);
            await queries.invalidateQueries({ queryKey: ["room", room.roomId] });
            await queries.invalidateQueries({ queryKey: ["rooms"] });
        });
    }

    return (
        <div className={styles.closed}>
            {problem && <ProblemNote problem={problem} />}
            <p>{t("closedBar")}</p>
            {mayManage && (
                <Button onPress={() => void reopen()} isDisabled={isBusy}>
                    {t("reopen")}
                </Button>
            )}
        </div>
    );
}
