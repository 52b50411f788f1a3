// SPDX-License-Identifier: Apache-2.0
// The fields of one task, each with what the server had against it.
import { useTranslations } from "use-intl";
import { type EditedTask, type TaskFault, type TaskField, toolNames } from "../../store/taskEdit";
import { Field } from "../../ui/Field";
import { TextArea } from "../../ui/TextArea";
import styles from "./TaskEditor.module.css";

export interface TaskFormProps {
    task: EditedTask;
    tasks: readonly EditedTask[];
    faults: readonly TaskFault[];
    onChange: (task: EditedTask) => void;
}

/** What is wrong, in words that say what would be right. */
function useFaultSentence() {
    const t = useTranslations("workflows");
    return ({ field, reason }: TaskFault): string => {
        switch (`${field} ${reason}`) {
            case "key duplicate_key":
                return t("faultKeyTwice");
            case "key malformed":
            case "key empty":
                return t("faultKey");
            case "title empty":
                return t("faultTitleEmpty");
            case "title too_long":
                return t("faultTitleLong");
            case "instructions too_long":
                return t("faultInstructionsLong");
            case "dependsOn not_allowed_here":
                return t("faultCircle");
            case "tools malformed":
            case "tools too_many":
                return t("faultTools");
            default:
                return t("reasonOther", { reason });
        }
    };
}

export function TaskForm({ task, tasks, faults, onChange }: TaskFormProps) {
    const t = useTranslations("workflows");
    const sentenceOf = useFaultSentence();
    const errorAt = (field: TaskField) => {
        const fault = faults.find((each) => each.field === field);
        return fault && sentenceOf(fault);
    };
    const change = (part: Partial<EditedTask>) => onChange({ ...task, ...part });
    const others = tasks.filter(({ id }) => id !== task.id);
    const circle = errorAt("dependsOn");
    return (
        <div className={styles.form}>
            <div className={styles.pair}>
                <Field
                    label={t("taskTitle")}
                    name="title"
                    autoComplete="off"
                    value={task.title}
                    error={errorAt("title")}
                    onChange={(title) => change({ title })}
                />
                <Field
                    label={t("taskKey")}
                    name="key"
                    autoComplete="off"
                    help={t("taskKeyHelp")}
                    value={task.key}
                    error={errorAt("key")}
                    onChange={(key) => change({ key })}
                />
            </div>
            <TextArea
                label={t("field_instructions")}
                name="instructions"
                help={t("instructionsHelp")}
                value={task.instructions}
                error={errorAt("instructions")}
                onChange={(instructions) => change({ instructions })}
            />
            {others.length > 0 && (
                <fieldset className={styles.before} data-fault={circle && ""}>
                    <legend>{t("field_depends_on")}</legend>
                    <div className={styles.choices}>
                        {others.map((other) => (
                            <label key={other.id}>
                                <input
                                    type="checkbox"
                                    checked={task.dependsOn.includes(other.id)}
                                    onChange={(choice) =>
                                        change({
                                            dependsOn: choice.target.checked
                                                ? [...task.dependsOn, other.id]
                                                : task.dependsOn.filter((id) => id !== other.id),
                                        })
                                    }
                                />
                                <bdi>{other.title || other.key}</bdi>
                            </label>
                        ))}
                    </div>
                    {circle && (
                        <p role="alert" className={styles.error}>
                            {circle}
                        </p>
                    )}
                </fieldset>
            )}
            <Field
                label={t("field_tools")}
                name="tools"
                autoComplete="off"
                help={t("toolsHelp")}
                value={task.tools}
                error={errorAt("tools")}
                onChange={(tools) => change({ tools })}
            />
            {toolNames(task.tools).map((tool, at) => (
                <TextArea
                    // A name that is being written is the same field.
                    key={at}
                    label={t("mockOf", { tool })}
                    name={`mock-${tool}`}
                    rows={1}
                    value={task.mocks[tool] ?? ""}
                    error={at === 0 ? errorAt("mocks") : undefined}
                    onChange={(mock) => change({ mocks: { ...task.mocks, [tool]: mock } })}
                />
            ))}
        </div>
    );
}
