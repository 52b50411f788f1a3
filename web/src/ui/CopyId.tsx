// SPDX-License-Identifier: Apache-2.0
// An id that can be taken along: whoever looks into a matter pastes it into a search or a command.
import { Copy } from "lucide-react";
import { useTranslations } from "use-intl";
import { IconButton } from "./Button";
import styles from "./CopyId.module.css";
import { copyText } from "./clipboard";
import { showToast } from "./toast";

export function CopyId({ id, label }: { id: string; label: string }) {
    const t = useTranslations("secret");
    async function copy(): Promise<void> {
        if (await copyText(id)) {
            showToast({ text: t("copied") });
        }
    }
    return (
        <span className={styles.copy}>
            <code>{id}</code>
            <IconButton label={label} size="small" onPress={() => void copy()}>
                <Copy size={16} strokeWidth={1.75} />
            </IconButton>
        </span>
    );
}
