// SPDX-License-Identifier: Apache-2.0
// Changes what a workflow is called and what it uses. What somebody else changed meanwhile is not written over unseen.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { Workflow } from "../../api/model";
import { changeWorkflow, fetchWorkflow } from "../../api/workflows";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ProblemNote } from "../../ui/ProblemNote";
import { useAction } from "../../ui/useAction";
import { type Details, WorkflowFields } from "./WorkflowFields";
import styles from "./Workflows.module.css";

function detailsOf(workflow: Workflow): Details {
    const { name, description, agent, skill, skill_commit } = workflow;
    return { name, description, agent, skill, commit: skill_commit };
}

const PARTS = ["name", "description", "agent", "skill", "commit"] as const;

/** Only what was changed here: what others changed elsewhere stays. */
function changesOf(before: Details, now: Details) {
    const changed = (part: keyof Details) => before[part] !== now[part];
    return {
        ...(changed("name") && { name: now.name.trim() }),
        ...(changed("description") && { description: now.description.trim() }),
        ...(changed("agent") && now.agent !== "" && { agent: now.agent }),
        ...(changed("skill") && { skill: now.skill }),
        ...((changed("skill") || changed("commit")) && { skill_commit: now.commit.trim() }),
    };
}

export function DetailsDialog({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
    const t = useTranslations();
    const queries = useQueryClient();
    const [read, setRead] = useState(workflow);
    const [details, setDetails] = useState(() => detailsOf(workflow));
    const { isBusy, problem, run } = useAction();
    const isChanged = problem?.code === "WORKFLOW_CHANGED";
    const theirs = detailsOf(read);

    async function save(): Promise<void> {
        const change = changesOf(detailsOf(read), details);
        const done = await run(async () => {
            const changed = await changeWorkflow(read.id, { ...change, revision: read.revision });
            queries.setQueryData(["workflow", read.id], changed);
            void queries.invalidateQueries({ queryKey: ["workflows"] });
        });
        if (done) {
            onClose();
        }
    }

    /** Goes on from what the other made of it: one's own changes stay on top. */
    async function goOn(): Promise<void> {
        const before = detailsOf(read);
        await run(async () => {
            const latest = await fetchWorkflow(read.id);
            const next = detailsOf(latest);
            const kept = PARTS.filter((part) => details[part] !== before[part]);
            setDetails({
                ...next,
                ...Object.fromEntries(kept.map((part) => [part, details[part]])),
            });
            setRead(latest);
        });
    }

    const different = PARTS.filter((part) => theirs[part] !== details[part]);
    return (
        <Dialog title={t("workflows.details")} onClose={onClose}>
            <form
                id="workflow-details"
                className={styles.form}
                onSubmit={(submit) => {
                    submit.preventDefault();
                    void save();
                }}
            >
                <WorkflowFields details={details} problem={problem} onChange={setDetails} />
            </form>
            {problem && <ProblemNote problem={problem} />}
            {isChanged && (
                <div>
                    <Button isDisabled={isBusy} onPress={() => void goOn()}>
                        {t("workflows.combine")}
                    </Button>
                </div>
            )}
            <DialogActions>
                <Button onPress={onClose}>{t("dialog.cancel")}</Button>
                <Button
                    type="submit"
                    form="workflow-details"
                    look="filled"
                    isDisabled={isBusy || isChanged || different.length === 0}
                >
                    {t("workflows.save")}
                </Button>
            </DialogActions>
        </Dialog>
    );
}
