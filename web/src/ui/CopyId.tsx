// SPDX-License-Identifier: Apache-2.0
// An id that can be taken along: whoever looks into a matter pastes it into a search or a command.
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./Button";
import styles from "./CopyId.module.css";
import { copyText } from "./clipboard";

const SAID_MS = 2_000;

export function CopyId({ id, label }: { id: string; label: string }) {
    const [isCopied, setIsCopied] = useState(false);
    useEffect(() => {
        if (!isCopied) {
            return;
        }
        const timer = setTimeout(() => setIsCopied(false), SAID_MS);
        return () => clearTimeout(timer);
    }, [isCopied]);
    return (
        <span className={styles.copy}>
            <code>{id}</code>
            <IconButton
                label={label}
                size="small"
                onPress={() => void copyText(id).then(setIsCopied)}
            >
                {isCopied ? (
                    <Check size={16} strokeWidth={1.75} />
                ) : (
                    <Copy size={16} strokeWidth={1.75} />
                )}
            </IconButton>
        </span>
    );
}
