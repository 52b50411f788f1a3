// SPDX-License-Identifier: Apache-2.0
// Makes a room; it opens as soon as the server has it.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { createRoom } from "../../api/calls";
import { type Problem, problemOf } from "../../api/problem";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { ProblemNote } from "../../ui/ProblemNote";

export default function NewRoomDialog({ onClose }: { onClose: () => void }) {
    const t = useTranslations("newRoom");
    const queries = useQueryClient();
    const navigate = useNavigate();
    const [name, setName] = useState("");
    const [isNeeded, setIsNeeded] = useState(false);
    const [isBusy, setIsBusy] = useState(false);
    const [problem, setProblem] = useState<Problem>();

    async function create(): Promise<void> {
        setIsNeeded(name.trim() === "");
        if (name.trim() === "") {
            return;
        }
        setIsBusy(true);
        setProblem(undefined);
        try {
            const room = await createRoom(name.trim());
            await queries.invalidateQueries({ queryKey: ["rooms"] });
            onClose();
            await navigate({ to: "/rooms/$roomId", params: { roomId: room.id } });
        } catch (thrown) {
            setProblem(problemOf(thrown));
            setIsBusy(false);
        }
    }

    return (
        <Dialog title={t("title")} onClose={onClose}>
            <form
                id="new-room"
                onSubmit={(submit) => {
                    submit.preventDefault();
                    void create();
                }}
            >
                <Field
                    label={t("name")}
                    name="name"
                    help={t("nameHelp")}
                    error={isNeeded ? t("needed") : undefined}
                    autoComplete="off"
                    autoFocus
                    value={name}
                    onChange={setName}
                />
            </form>
            {problem && <ProblemNote problem={problem} />}
            <DialogActions>
                <Button onPress={onClose}>{t("cancel")}</Button>
                <Button type="submit" form="new-room" look="filled" isDisabled={isBusy}>
                    {t("create")}
                </Button>
            </DialogActions>
        </Dialog>
    );
}
