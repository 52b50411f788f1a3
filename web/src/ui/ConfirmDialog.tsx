// SPDX-License-Identifier: Apache-2.0
// Asks before something that is not easily undone: says what follows, and names the deed on the button.
import { type ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Button } from "./Button";
import { Dialog, DialogActions } from "./Dialog";
import { ProblemNote } from "./ProblemNote";
import { useAction } from "./useAction";

export interface ConfirmDialogProps {
    title: string;
    deed: string;
    look?: "filled" | "bad";
    onConfirm: () => Promise<unknown>;
    onClose: () => void;
    children: ReactNode;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
    const { title, deed, look = "bad", onConfirm, onClose, children } = props;
    const t = useTranslations("dialog");
    const { isBusy, problem, run } = useAction();
    return (
        <Dialog title={title} onClose={onClose}>
            <p>{children}</p>
            {problem && <ProblemNote problem={problem} />}
            <DialogActions>
                <Button onPress={onClose}>{t("cancel")}</Button>
                <Button
                    look={look}
                    isDisabled={isBusy}
                    onPress={async () => {
                        if (await run(onConfirm)) {
                            onClose();
                        }
                    }}
                >
                    {deed}
                </Button>
            </DialogActions>
        </Dialog>
    );
}
