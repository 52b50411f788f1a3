// SPDX-License-Identifier: Apache-2.0
// The column beside a room, with its name and the way to close it.
import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { useTranslations } from "use-intl";
import { IconButton } from "../../ui/Button";
import styles from "./Panel.module.css";

export interface PanelProps {
    title: string;
    onClose: () => void;
    children: ReactNode;
}

export function Panel({ title, onClose, children }: PanelProps) {
    const t = useTranslations("room");
    const id = useId();
    const panel = useRef<HTMLElement>(null);
    // Where the panel is the page, the focus would otherwise stay on what is no longer shown.
    useEffect(() => panel.current?.focus(), []);
    return (
        <aside
            ref={panel}
            tabIndex={-1}
            aria-labelledby={id}
            className={styles.panel}
            data-region=""
        >
            <header className={styles.header}>
                <h2 id={id}>{title}</h2>
                <IconButton label={t("closePanel")} onPress={onClose}>
                    <X size={20} strokeWidth={1.75} />
                </IconButton>
            </header>
            {children}
        </aside>
    );
}
