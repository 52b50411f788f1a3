// SPDX-License-Identifier: Apache-2.0
// What a workflow is called, what it is for, and which agent and skill it uses: as fields.
import { useTranslations } from "use-intl";
import type { Problem } from "../../api/problem";
import { Field } from "../../ui/Field";
import { Select } from "../../ui/Select";
import { TextArea } from "../../ui/TextArea";
import { reasonAt } from "../../ui/useAction";
import { useFieldReason } from "./useFieldReason";
import { useAgents, useSkills } from "./useNames";
import styles from "./Workflows.module.css";

export interface Details {
    name: string;
    description: string;
    agent: string;
    skill: string;
    commit: string;
}

export interface WorkflowFieldsProps {
    details: Details;
    problem: Problem | undefined;
    onChange: (details: Details) => void;
}

/** The choices, and what is chosen even if it is no longer among them. */
function optionsOf(
    known: readonly { id: string; name: string }[] | undefined,
    chosen: string,
    none: string,
) {
    const options = (known ?? []).map(({ id, name }) => ({ value: id, label: name || id }));
    const isKnown = chosen === "" || options.some(({ value }) => value === chosen);
    return [
        { value: "", label: none },
        ...options,
        ...(isKnown ? [] : [{ value: chosen, label: chosen }]),
    ];
}

export function WorkflowFields({ details, problem, onChange }: WorkflowFieldsProps) {
    const t = useTranslations("workflows");
    const reasonOf = useFieldReason();
    const agents = useAgents();
    const skills = useSkills();
    const errorAt = (field: string) => {
        const reason = reasonAt(problem, field);
        return reason === undefined ? undefined : reasonOf(reason);
    };
    const change = (part: Partial<Details>) => onChange({ ...details, ...part });
    const isWithoutAgents = agents.data?.length === 0;
    return (
        <>
            <Field
                label={t("name")}
                name="name"
                autoComplete="off"
                autoFocus
                value={details.name}
                error={errorAt("name")}
                onChange={(name) => change({ name })}
            />
            <TextArea
                label={t("description")}
                name="description"
                help={t("descriptionHelp")}
                rows={2}
                value={details.description}
                error={errorAt("description")}
                onChange={(description) => change({ description })}
            />
            <div className={styles.field}>
                <Select
                    label={t("agent")}
                    value={details.agent}
                    options={optionsOf(agents.data, details.agent, t("noAgent"))}
                    onChange={(agent) => change({ agent })}
                />
                <p className={errorAt("agent") === undefined ? styles.help : styles.error}>
                    {errorAt("agent") ?? t(isWithoutAgents ? "agentsNone" : "agentHelp")}
                </p>
            </div>
            {(details.skill !== "" || (skills.data ?? []).length > 0) && (
                <Select
                    label={t("skill")}
                    value={details.skill}
                    options={optionsOf(skills.data, details.skill, t("noSkill"))}
                    onChange={(skill) => change({ skill, commit: "" })}
                />
            )}
            {details.skill !== "" && (
                <Field
                    label={t("commit")}
                    name="commit"
                    autoComplete="off"
                    help={t("commitHelp")}
                    value={details.commit}
                    error={errorAt("skill_commit")}
                    onChange={(commit) => change({ commit })}
                />
            )}
        </>
    );
}
