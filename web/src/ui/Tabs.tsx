// SPDX-License-Identifier: Apache-2.0
// Pages beside each other as links: each has an address of its own.
import type { ReactNode } from "react";
import styles from "./Tabs.module.css";

export function Tabs({ label, children }: { label: string; children: ReactNode }) {
    return (
        <nav aria-label={label} className={styles.tabs}>
            {children}
        </nav>
    );
}
