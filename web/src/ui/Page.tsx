// SPDX-License-Identifier: Apache-2.0
// A page that is read from top to bottom: its title, what one can do on it, its parts.
import type { ReactNode } from "react";
import styles from "./Page.module.css";

export interface PageProps {
    title: string;
    /** What one can do on the page, beside its title. */
    actions?: ReactNode;
    /** The way to the pages beside this one. */
    tabs?: ReactNode;
    children: ReactNode;
}

export function Page({ title, actions, tabs, children }: PageProps) {
    return (
        <main id="main" className={styles.page} tabIndex={-1} data-region="">
            <div className={styles.column}>
                <header className={styles.header}>
                    <h1>{title}</h1>
                    {actions}
                </header>
                {tabs}
                {children}
            </div>
        </main>
    );
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
    return (
        <section className={styles.section} aria-label={title}>
            <h2>{title}</h2>
            {children}
        </section>
    );
}

/** Nothing is there: what that means, and what can be done. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
    return (
        <div className={styles.empty}>
            <p className={styles.emptyTitle}>{title}</p>
            {children}
        </div>
    );
}

/** The shape of what is coming, for those who see; shown when it takes a moment. */
export function Skeleton({ rows = 4 }: { rows?: number }) {
    return (
        <div className={styles.skeleton} aria-hidden="true">
            {Array.from({ length: rows }, (_, at) => (
                <span key={at} />
            ))}
        </div>
    );
}
