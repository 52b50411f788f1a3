// SPDX-License-Identifier: Apache-2.0
// A named field of several lines with its help and its error; it grows with what is in it.
import { type KeyboardEventHandler, type Ref, useId } from "react";
import styles from "./Field.module.css";

export interface TextAreaProps {
    label: string;
    name?: string;
    help?: string;
    error?: string;
    rows?: number;
    value: string;
    onChange: (value: string) => void;
    onKeyDown?: KeyboardEventHandler;
    ref?: Ref<HTMLTextAreaElement>;
}

export function TextArea({ label, help, error, onChange, rows = 3, ...input }: TextAreaProps) {
    const id = useId();
    const isDescribed = help !== undefined || error !== undefined;
    return (
        <div className={styles.field}>
            <label htmlFor={id}>{label}</label>
            <textarea
                {...input}
                id={id}
                rows={rows}
                className={`${styles.input} ${styles.lines}`}
                aria-invalid={error !== undefined}
                aria-describedby={isDescribed ? `${id}-note` : undefined}
                onChange={(change) => onChange(change.target.value)}
            />
            {isDescribed && (
                <p id={`${id}-note`} className={error === undefined ? styles.help : styles.error}>
                    {error ?? help}
                </p>
            )}
        </div>
    );
}
