// SPDX-License-Identifier: Apache-2.0
// A person as a letter on a ground: an agent looks different, and not by colour alone.
import { Bot } from "lucide-react";
import styles from "./Avatar.module.css";

/** The first letter as a reader sees it, also where it takes more than one code unit. */
function initialOf(name: string): string {
    const first = [...new Intl.Segmenter().segment(name.trim())][0]?.segment ?? "?";
    return first.toLocaleUpperCase();
}

export function Avatar({ name, kind = "person" }: { name: string; kind?: "person" | "agent" }) {
    return (
        <span aria-hidden="true" className={`${styles.avatar} ${styles[kind]}`}>
            {kind === "agent" ? <Bot size={16} strokeWidth={1.75} /> : initialOf(name)}
        </span>
    );
}
