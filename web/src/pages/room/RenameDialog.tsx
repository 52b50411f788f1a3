// SPDX-License-Identifier: Apache-2.0
// Gives a room another name.
import { useState } from "react";
import { useTranslations } from "use-intl";
import { renameRoom } from "../../api/calls";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { ProblemNote } from "../../ui/ProblemNote";
import { useAction } from "../../ui/useAction";

export interface RenameDialogProps {
    roomId: string;
    name: string;
    onDone: () => Promise<unknown>;
    onClose: () => void;
}

export function RenameDialog({ roomId, name, onDone, onClose }: RenameDialogProps) {
    const t = useTranslations();
    const [text, setText] = useState(name);
    const { isBusy, problem, run } = useAction();
    const isEmpty = text.trim() === "";
    return (
        <Dialog title={t("roomMenu.rename")} onClose={onClose}>
            <form
                id="rename-room"
                onSubmit={async (submit) => {
                    submit.preventDefault();
                    if (!isEmpty && (await run(() => renameRoom(roomId, text.trim())))) {
                        await onDone();
                        onClose();
                    }
                }}
            >
                <Field
                    label={t("newRoom.name")}
                    name="name"
                    autoComplete="off"
                    autoFocus
                    error={isEmpty ? t("newRoom.needed") : undefined}
                    value={text}
                    onChange={setText}
                />
            </form>
            {problem && <ProblemNote problem={problem} />}
            <DialogActions>
                <Button onPress={onClose}>{t("dialog.cancel")}</Button>
                <Button
                    type="submit"
                    form="rename-room"
                    look="filled"
                    isDisabled={isBusy || isEmpty}
                >
                    {t("message.save")}
                </Button>
            </DialogActions>
        </Dialog>
    );
}
