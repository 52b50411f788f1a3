// SPDX-License-Identifier: Apache-2.0
// A named field for several lines, with its help and its error; it grows with what is written.
import { type KeyboardEventHandler, type Ref, useId } from "react";
import styles from "./Field.module.css";

export interface LinesFieldProps {
    label: string;
    help?: string;
    error?: string;
    value: string;
    onChange: (value: string) => void;
    onKeyDown?: KeyboardEventHandler;
    ref?: Ref<HTMLTextAreaElement>;
}

export function LinesField({ label, help, error, onChange, ...field }: LinesFieldProps) {
    const id = useId();
    const isDescribed = help !== undefined || error !== undefined;
    return (
        <div className={styles.field}>
            <label htmlFor={id}>{label}</label>
            <textarea
                {...field}
                id={id}
                rows={2}
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
