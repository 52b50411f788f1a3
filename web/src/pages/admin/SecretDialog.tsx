// SPDX-License-Identifier: Apache-2.0
// Takes the value of a secret: of a new one, or in the place of the value of one that is there.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { makeSecret, replaceSecretValue } from "../../api/calls";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions, DialogForm } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { ProblemNote } from "../../ui/ProblemNote";
import { reasonAt, useAction } from "../../ui/useAction";

export interface SecretDialogProps {
    /** Whose value is replaced; left out, a new one is made. */
    replaced?: string;
    onClose: () => void;
}

export function SecretDialog({ replaced, onClose }: SecretDialogProps) {
    const t = useTranslations("admin");
    const words = useTranslations("dialog");
    const queries = useQueryClient();
    const [name, setName] = useState("");
    const [description, setDescription] = useState("");
    const [hasValue, setHasValue] = useState(false);
    const { isBusy, problem, run } = useAction();
    const isNew = replaced === undefined;
    const isWhole = hasValue && !(isNew && name.trim() === "");
    const nameReason = reasonAt(problem, "name");
    const nameError = nameReason && t(nameReason === "taken" ? "secretTaken" : "secretNameRule");

    async function store(value: string): Promise<void> {
        try {
            await (isNew
                ? makeSecret(name.trim(), { value, description: description.trim() })
                : replaceSecretValue(replaced, value));
        } finally {
            // A refusal, too, can tell that others changed something.
            await queries.invalidateQueries({ queryKey: ["secrets"] });
        }
    }

    async function submit(form: HTMLFormElement): Promise<void> {
        const value = String(new FormData(form).get("value"));
        if (await run(() => store(value))) {
            onClose();
        }
    }

    return (
        <Dialog
            title={isNew ? t("newSecret") : t("replaceTitle", { name: replaced })}
            onClose={onClose}
        >
            <DialogForm id="secret" onSubmit={(form) => void submit(form)}>
                {isNew && (
                    <>
                        <Field
                            label={t("name")}
                            name="name"
                            autoComplete="off"
                            autoFocus
                            help={t("secretNameRule")}
                            error={nameError}
                            value={name}
                            onChange={setName}
                        />
                        <Field
                            label={t("description")}
                            name="description"
                            autoComplete="off"
                            error={reasonAt(problem, "description") && t("descriptionRule")}
                            value={description}
                            onChange={setDescription}
                        />
                    </>
                )}
                <Field
                    label={t("secretValue")}
                    name="value"
                    type="password"
                    autoComplete="off"
                    autoFocus={!isNew}
                    help={t("secretValueHelp")}
                    error={reasonAt(problem, "value") && t("secretValueRule")}
                    onChange={(value) => setHasValue(value !== "")}
                />
            </DialogForm>
            {problem && <ProblemNote problem={problem} />}
            <DialogActions>
                <Button onPress={onClose}>{words("cancel")}</Button>
                <Button type="submit" form="secret" look="filled" isDisabled={isBusy || !isWhole}>
                    {isNew ? t("storeSecret") : t("replaceValue")}
                </Button>
            </DialogActions>
        </Dialog>
    );
}
