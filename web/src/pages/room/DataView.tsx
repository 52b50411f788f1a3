// SPDX-License-Identifier: Apache-2.0
// What a tool was given or answered: JSON as a tree that is folded from its second level on, all else as it is.
import { Copy } from "lucide-react";
import { useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { IconButton } from "../../ui/Button";
import { copyText } from "../../ui/clipboard";
import { showToast } from "../../ui/toast";
import styles from "./AgentRow.module.css";

/** From this level on it is unfolded by hand. */
const FOLDED_DEPTH = 2;
/** So many members are shown at a time, and so much of a text. */
const SHOWN_MEMBERS = 100;
const SHOWN_LETTERS = 4_000;

function parsed(text: string): object | undefined {
    try {
        const value: unknown = JSON.parse(text);
        return typeof value === "object" && value !== null ? value : undefined;
    } catch {
        return undefined;
    }
}

function LongText({ text }: { text: string }) {
    const t = useTranslations("agent");
    const [shown, setShown] = useState(SHOWN_LETTERS);
    return (
        <>
            {text.slice(0, shown)}
            {text.length > shown && (
                <button
                    type="button"
                    className={styles.more}
                    onClick={() => setShown(shown + 10 * SHOWN_LETTERS)}
                >
                    {t("more", { count: text.length - shown })}
                </button>
            )}
        </>
    );
}

function Members({ value, depth }: { value: object; depth: number }) {
    const t = useTranslations("agent");
    const [shown, setShown] = useState(SHOWN_MEMBERS);
    const isList = Array.isArray(value);
    const members = Object.entries(value);
    return (
        <ul>
            {members.slice(0, shown).map(([name, member]) => (
                <li key={name}>
                    {!isList && <span className={styles.name}>{name}: </span>}
                    <Value value={member} depth={depth} />
                </li>
            ))}
            {members.length > shown && (
                <li>
                    <button
                        type="button"
                        className={styles.more}
                        onClick={() => setShown(shown + SHOWN_MEMBERS)}
                    >
                        {t("more", { count: members.length - shown })}
                    </button>
                </li>
            )}
        </ul>
    );
}

function Value({ value, depth }: { value: unknown; depth: number }) {
    const [isOpen, setIsOpen] = useState(depth < FOLDED_DEPTH);
    if (typeof value !== "object" || value === null) {
        return <LongText text={JSON.stringify(value) ?? ""} />;
    }
    const count = Object.keys(value).length;
    const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
    if (count === 0) {
        return `${open}${close}`;
    }
    return (
        <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
            <summary>{isOpen ? open : `${open} … ${close} ${count}`}</summary>
            {/* What is folded is not there: it may be long. */}
            {isOpen && (
                <>
                    <Members value={value} depth={depth + 1} />
                    {close}
                </>
            )}
        </details>
    );
}

export function DataView({ title, text }: { title: string; text: string }) {
    const t = useTranslations();
    const value = useMemo(() => parsed(text), [text]);
    async function copy(): Promise<void> {
        if (await copyText(text)) {
            showToast({ text: t("message.copied") });
        }
    }
    return (
        <div className={styles.part}>
            <div className={styles.partHead}>
                {title}
                <IconButton
                    size="small"
                    label={t("agent.copy", { what: title })}
                    onPress={() => void copy()}
                >
                    <Copy size={16} strokeWidth={1.75} />
                </IconButton>
            </div>
            <section className={styles.value} tabIndex={0} aria-label={title}>
                {value ? <Value value={value} depth={0} /> : <LongText text={text} />}
            </section>
        </div>
    );
}
