// SPDX-License-Identifier: Apache-2.0
// Makes a workflow: empty, or as its agent drafts it from a description of what should happen.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { createWorkflow } from "../../api/workflows";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ProblemNote } from "../../ui/ProblemNote";
import { TextArea } from "../../ui/TextArea";
import { reasonAt, useAction } from "../../ui/useAction";
import { useRequestKey } from "../../ui/useRequestKey";
import { useFieldReason } from "./useFieldReason";
import { type Details, WorkflowFields } from "./WorkflowFields";
import styles from "./Workflows.module.css";

const EMPTY: Details = { name: "", description: "", agent: "", skill: "", commit: "" };

export function NewWorkflowDialog({ onClose }: { onClose: () => void }) {
    const t = useTranslations();
    const queries = useQueryClient();
    const navigate = useNavigate();
    const reasonOf = useFieldReason();
    const [details, setDetails] = useState(EMPTY);
    const [prompt, setPrompt] = useState("");
    const { isBusy, problem, run } = useAction();
    const asked = useRequestKey();
    const promptReason = reasonAt(problem, "prompt");

    async function make(): Promise<void> {
        const { name, description, agent, skill, commit } = details;
        await run(async () => {
            const made = await asked((key) =>
                createWorkflow(
                    {
                        name: name.trim(),
                        description: description.trim(),
                        ...(agent !== "" && { agent }),
                        ...(skill !== "" && { skill, skill_commit: commit.trim() }),
                        ...(prompt.trim() !== "" && { prompt: prompt.trim() }),
                    },
                    key,
                ),
            );
            void queries.invalidateQueries({ queryKey: ["workflows"] });
            queries.setQueryData(["workflow", made.id], made);
            onClose();
            await navigate({
                to: "/workflows/$workflowId",
                params: { workflowId: made.id },
                search: {},
            });
        });
    }

    return (
        <Dialog title={t("workflows.new")} onClose={onClose}>
            <form
                id="new-workflow"
                className={styles.form}
                onSubmit={(submit) => {
                    submit.preventDefault();
                    void make();
                }}
            >
                <WorkflowFields details={details} problem={problem} onChange={setDetails} />
                {/* Only an agent can make something of it. */}
                {details.agent !== "" && (
                    <TextArea
                        label={t("workflows.prompt")}
                        name="prompt"
                        help={t("workflows.promptHelp")}
                        value={prompt}
                        error={promptReason && reasonOf(promptReason)}
                        onChange={setPrompt}
                    />
                )}
            </form>
            {problem && <ProblemNote problem={problem} />}
            <DialogActions>
                <Button onPress={onClose}>{t("dialog.cancel")}</Button>
                <Button type="submit" form="new-workflow" look="filled" isDisabled={isBusy}>
                    {t("workflows.make")}
                </Button>
            </DialogActions>
        </Dialog>
    );
}
