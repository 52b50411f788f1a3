// SPDX-License-Identifier: Apache-2.0
// A named line of input with its help and its error, tied together for those who hear the page.
import { useId } from "react";
import styles from "./Field.module.css";

export interface FieldProps {
    label: string;
    name: string;
    type?: "text" | "email" | "password";
    help?: string;
    error?: string;
    /** Left out, the browser alone holds what is typed: for what must not be written into the page. */
    value?: string;
    onChange: (value: string) => void;
    autoComplete?: string;
    autoFocus?: boolean;
}

export function Field({ label, help, error, onChange, type = "text", ...input }: FieldProps) {
    const id = useId();
    const isDescribed = help !== undefined || error !== undefined;
    return (
        <div className={styles.field}>
            <label htmlFor={id}>{label}</label>
            <input
                {...input}
                id={id}
                type={type}
                className={styles.input}
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
