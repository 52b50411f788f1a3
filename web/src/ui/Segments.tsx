// SPDX-License-Identifier: Apache-2.0
// One of a few choices that are all seen: radio buttons in a row.
import { useId } from "react";
import styles from "./Segments.module.css";

export interface SegmentsProps<Value extends string> {
    label: string;
    help?: string;
    value: Value;
    options: readonly { value: Value; label: string; lang?: string }[];
    onChange: (value: Value) => void;
}

export function Segments<Value extends string>(props: SegmentsProps<Value>) {
    const { label, help, value, options, onChange } = props;
    const id = useId();
    return (
        <fieldset className={styles.segments} aria-describedby={help && `${id}-help`}>
            <legend>{label}</legend>
            <div className={styles.choices}>
                {options.map((option) => (
                    <label key={option.value} lang={option.lang}>
                        <input
                            type="radio"
                            name={id}
                            checked={option.value === value}
                            onChange={() => onChange(option.value)}
                        />
                        <span>{option.label}</span>
                    </label>
                ))}
            </div>
            {help && (
                <p id={`${id}-help`} className={styles.help}>
                    {help}
                </p>
            )}
        </fieldset>
    );
}
