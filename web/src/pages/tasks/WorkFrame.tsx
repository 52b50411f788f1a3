// SPDX-License-Identifier: Apache-2.0
// The page of a workflow or an execution: what it is at above, its parts as tabs, and below the one that is open.
import type { ReactNode } from "react";
import styles from "./WorkFrame.module.css";

export interface WorkFrameProps {
    title: string;
    /** Where it belongs to. */
    above?: ReactNode;
    /** What it is at, in a line. */
    state?: ReactNode;
    actions?: ReactNode;
    /** What was refused, or has to be known. */
    notes?: ReactNode;
    tabs?: ReactNode;
    /** A conversation fills what is left of the window; everything else scrolls with the page. */
    fit?: "scrolled" | "filled";
    children: ReactNode;
}

export function WorkFrame(props: WorkFrameProps) {
    const { title, above, state, actions, notes, tabs, fit = "scrolled", children } = props;
    return (
        <main id="main" className={`${styles.page} ${styles[fit]}`} tabIndex={-1} data-region="">
            <div className={styles.top}>
                {above && <p className={styles.above}>{above}</p>}
                <header className={styles.header}>
                    <div className={styles.words}>
                        <h1>
                            <bdi>{title}</bdi>
                        </h1>
                        {state}
                    </div>
                    <div className={styles.actions}>{actions}</div>
                </header>
                {notes}
                {tabs}
            </div>
            <div className={styles.body}>{children}</div>
        </main>
    );
}
