// SPDX-License-Identifier: Apache-2.0
// Something that is shown once: the text, and the way to take it along.
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "./Button";
import { copyText } from "./clipboard";
import styles from "./SecretNote.module.css";

export function SecretNote({ label, text, note }: { label: string; text: string; note: string }) {
    const t = useTranslations("secret");
    const [isCopied, setIsCopied] = useState(false);
    const Sign = isCopied ? Check : Copy;
    return (
        <div className={styles.note}>
            <p className={styles.label}>{label}</p>
            <div className={styles.line}>
                <code tabIndex={0}>{text}</code>
                <Button autoFocus onPress={async () => setIsCopied(await copyText(text))}>
                    <Sign size={16} strokeWidth={1.75} aria-hidden="true" />
                    {t(isCopied ? "copied" : "copy")}
                </Button>
            </div>
            <p className={styles.help}>{note}</p>
        </div>
    );
}
