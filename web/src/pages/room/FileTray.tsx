// SPDX-License-Identifier: Apache-2.0
// The files of the message that is being written: how far each is uploaded, or why it was not.
import { CircleAlert, File, RotateCcw, X } from "lucide-react";
import { useEffect } from "react";
import { useTranslations } from "use-intl";
import type { Problem } from "../../api/problem";
import type { Upload } from "../../store/uploads";
import { announce } from "../../ui/announce";
import { IconButton } from "../../ui/Button";
import { useFileSize } from "../../ui/useFileSize";
import { useSession } from "../shell/SessionContext";
import styles from "./FileTray.module.css";

const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

function useProblemText(): (problem: Problem) => string {
    const t = useTranslations();
    return (problem) =>
        problem.sentence === "PAYLOAD_TOO_LARGE"
            ? t("files.tooLarge")
            : t(`problem.${problem.sentence}`);
}

function TrayItem({ upload }: { upload: Upload }) {
    const t = useTranslations("files");
    const { uploads } = useSession();
    const sizeOf = useFileSize();
    const textOf = useProblemText();
    const { key, name, size, sent, state, problem } = upload;
    useEffect(() => {
        if (state === "stored") {
            announce(t("stored", { name }));
        }
    }, [state, name, t]);
    return (
        <li className={styles.item} data-upload={state}>
            {state === "refused" ? <CircleAlert {...icon} /> : <File {...icon} />}
            <span className={styles.words}>
                <bdi className={styles.name}>{name}</bdi>
                {state === "stored" && <span className={styles.size}>{sizeOf(size)}</span>}
                {state === "refused" && problem && (
                    <span role="alert" className={styles.why}>
                        {textOf(problem)}
                    </span>
                )}
                {(state === "waiting" || state === "sending") && (
                    <progress
                        className={styles.progress}
                        aria-label={t("uploading", { name })}
                        max={Math.max(1, size)}
                        value={sent}
                    />
                )}
            </span>
            {state === "refused" && (
                <IconButton
                    size="small"
                    label={t("retry", { name })}
                    onPress={() => uploads.retry(key)}
                >
                    <RotateCcw {...icon} />
                </IconButton>
            )}
            <IconButton
                size="small"
                label={t("remove", { name })}
                onPress={() => uploads.remove(key)}
            >
                <X {...icon} />
            </IconButton>
        </li>
    );
}

export function FileTray({ uploads }: { uploads: readonly Upload[] }) {
    const t = useTranslations("files");
    if (uploads.length === 0) {
        return null;
    }
    return (
        <ul className={styles.tray} aria-label={t("list")}>
            {uploads.map((upload) => (
                <TrayItem key={upload.key} upload={upload} />
            ))}
        </ul>
    );
}
