// SPDX-License-Identifier: Apache-2.0
// One of a few words, chosen by the browser's own means: they know every keyboard and every phone.
import { useId } from "react";
import styles from "./Field.module.css";

export interface SelectProps<Value extends string> {
    label: string;
    /** A label that the place says already is only spoken. */
    labelLook?: "shown" | "spoken";
    value: Value;
    options: readonly { value: Value; label: string }[];
    help?: string;
    isDisabled?: boolean;
    onChange: (value: Value) => void;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
    const { label, labelLook = "shown", value, options, help, isDisabled, onChange } = props;
    const id = useId();
    return (
        <div className={styles.field}>
            <label htmlFor={id} className={labelLook === "spoken" ? "hidden-visually" : undefined}>
                {label}
            </label>
            <select
                id={id}
                className={styles.select}
                value={value}
                disabled={isDisabled}
                aria-describedby={help === undefined ? undefined : `${id}-note`}
                onChange={(change) => onChange(change.target.value as Value)}
            >
                {options.map((option) => (
                    <option key={option.value} value={option.value}>
                        {option.label}
                    </option>
                ))}
            </select>
            {help !== undefined && (
                <p id={`${id}-note`} className={styles.help}>
                    {help}
                </p>
            )}
        </div>
    );
}
