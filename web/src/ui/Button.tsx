// SPDX-License-Identifier: Apache-2.0
// A button in its four looks; at most one `filled` stands in a view.
import type { ReactNode } from "react";
import { Button as AriaButton, type ButtonProps as AriaProps } from "react-aria-components";
import styles from "./Button.module.css";

export interface ButtonProps extends Omit<AriaProps, "className" | "style" | "children"> {
    look?: "filled" | "outlined" | "quiet" | "bad";
    children: ReactNode;
}

export function Button({ look = "outlined", ...props }: ButtonProps) {
    return <AriaButton {...props} className={`${styles.button} ${styles[look]}`} />;
}

/** An icon that acts: its name is spoken, and shown on hover. */
export function IconButton({
    label,
    children,
    size = "normal",
    ...props
}: Omit<AriaProps, "className" | "style" | "children"> & {
    label: string;
    children: ReactNode;
    size?: "normal" | "small";
}) {
    return (
        <AriaButton
            {...props}
            aria-label={label}
            className={`${styles.icon} ${size === "small" ? styles.small : ""}`}
        >
            {/* React Aria owns the button's attributes; the hint sits on what is inside. */}
            <span title={label} className={styles.glyph}>
                {children}
            </span>
        </AriaButton>
    );
}
