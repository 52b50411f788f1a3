// SPDX-License-Identifier: Apache-2.0
// Runs what is published, or tries the draft, once for each press; and says what a run still lacks.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FlaskConical, Play } from "lucide-react";
import { useTranslations } from "use-intl";
import type { Workflow } from "../../api/model";
import type { Problem } from "../../api/problem";
import { executeWorkflow } from "../../api/workflows";
import { Button } from "../../ui/Button";
import { ProblemNote } from "../../ui/ProblemNote";
import type { Action } from "../../ui/useAction";
import { useRequestKey } from "../../ui/useRequestKey";
import { useMayMake, useSkills } from "./useNames";
import { useVersions } from "./useWorkflow";

const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

export function RunActions({ workflow, action }: { workflow: Workflow; action: Action }) {
    const t = useTranslations("workflows");
    const mayMake = useMayMake();
    const queries = useQueryClient();
    const navigate = useNavigate();
    const asked = useRequestKey();
    const askedDraft = useRequestKey();

    async function start(form: "published" | "draft"): Promise<void> {
        await action.run(async () => {
            const once = form === "draft" ? askedDraft : asked;
            const made = await once((key) => executeWorkflow(workflow.id, form, key));
            queries.setQueryData(["execution", made.id], made);
            void queries.invalidateQueries({ queryKey: ["executions"] });
            await navigate({
                to: "/executions/$executionId",
                params: { executionId: made.id },
                search: {},
            });
        });
    }

    const hasTasks = workflow.tasks.length > 0;
    return (
        <>
            {mayMake && (
                <Button isDisabled={action.isBusy || !hasTasks} onPress={() => void start("draft")}>
                    <FlaskConical {...icon} />
                    {t("try")}
                </Button>
            )}
            {workflow.published_version > 0 && (
                <Button
                    look="filled"
                    isDisabled={action.isBusy}
                    onPress={() => void start("published")}
                >
                    <Play {...icon} />
                    {t("run")}
                </Button>
            )}
        </>
    );
}

/** A skill that is not here yet is named, with the revision that is waited for. */
export function RunRefusal({ workflow, problem }: { workflow: Workflow; problem: Problem }) {
    const t = useTranslations("workflows");
    const skills = useSkills();
    const published = useVersions(workflow.id, workflow.published_version).data?.[0];
    // The draft may have been tried: where it pins another skill than what is published, both are told.
    const pinned = [published, workflow]
        .filter((one) => one !== undefined)
        .filter(({ skill }) => skill !== "")
        .map(({ skill, skill_commit }) => ({
            name: skills.data?.find(({ id }) => id === skill)?.name ?? skill,
            revision: skill_commit || t("newestRevision"),
        }));
    const told = [...new Map(pinned.map((one) => [`${one.name} ${one.revision}`, one])).values()];
    return (
        <div>
            <ProblemNote problem={problem} />
            {problem.code === "SKILL_NOT_READY" &&
                told.map((one) => (
                    <p key={`${one.name} ${one.revision}`}>{t("skillNotReady", one)}</p>
                ))}
        </div>
    );
}
