// SPDX-License-Identifier: Apache-2.0
// Brings people of the organisation into the room, one after the other.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { addParticipant, fetchUsers } from "../../api/calls";
import type { User } from "../../api/model";
import { problemOf } from "../../api/problem";
import { folded } from "../../store/folded";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { useAction } from "../../ui/useAction";
import styles from "./PeoplePanel.module.css";
import { useOpenRoom } from "./RoomContext";

/** More names than this are found by typing, not by looking. */
const SHOWN = 50;

export function AddPeopleDialog({ onClose }: { onClose: () => void }) {
    const t = useTranslations();
    const { room, participants } = useOpenRoom();
    const queries = useQueryClient();
    const users = useQuery({ queryKey: ["users"], queryFn: fetchUsers });
    const [wanted, setWanted] = useState("");
    const { isBusy, problem, run } = useAction();
    const isHere = (user: User) => participants.get(user.id)?.status === "active";
    const found = (users.data ?? []).filter(
        (user) =>
            user.is_active &&
            !isHere(user) &&
            folded(`${user.display_name} ${user.email}`).includes(folded(wanted.trim())),
    );

    return (
        <Dialog title={t("people.add")} onClose={onClose}>
            <Field
                label={t("people.find")}
                name="find"
                autoComplete="off"
                autoFocus
                value={wanted}
                onChange={setWanted}
            />
            {problem && <ProblemNote problem={problem} />}
            {users.isError && (
                <ProblemNote
                    problem={problemOf(users.error)}
                    onRetry={() => void users.refetch()}
                />
            )}
            {users.isPending && <Skeleton rows={3} />}
            {users.isSuccess && found.length === 0 && (
                <p className={styles.nobody}>{t("people.nobody")}</p>
            )}
            <ul className={styles.choices}>
                {found.slice(0, SHOWN).map((user) => (
                    <li key={user.id} className={styles.person}>
                        <Avatar name={user.display_name} />
                        <span className={styles.words}>
                            <span className={styles.name}>{user.display_name}</span>
                            <span className={styles.role}>{user.email}</span>
                        </span>
                        <Button
                            aria-label={t("people.addOne", { name: user.display_name })}
                            isDisabled={isBusy}
                            onPress={() =>
                                void run(async () => {
                                    await addParticipant(room.roomId, user);
                                    await queries.invalidateQueries({
                                        queryKey: ["room", room.roomId],
                                    });
                                })
                            }
                        >
                            {t("people.addShort")}
                        </Button>
                    </li>
                ))}
            </ul>
            <DialogActions>
                <Button onPress={onClose}>{t("people.done")}</Button>
            </DialogActions>
        </Dialog>
    );
}
