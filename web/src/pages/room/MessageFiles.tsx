// SPDX-License-Identifier: Apache-2.0
// The files of a message: images of a sensible size as such, all others as links with name and size.
import { Download, File } from "lucide-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { addressOf, isShownAsImage, type MessageFile, nameOf } from "../../store/content";
import { useFileSize } from "../../ui/useFileSize";
import styles from "./MessageFiles.module.css";

function FileLink({ file }: { file: MessageFile }) {
    const sizeOf = useFileSize();
    return (
        <a href={addressOf(file)} download={nameOf(file)} className={styles.file}>
            <File size={16} strokeWidth={1.75} aria-hidden="true" />
            <bdi className={styles.name}>{nameOf(file)}</bdi>
            {file.size_bytes !== undefined && (
                <span className={styles.size}>{sizeOf(file.size_bytes)}</span>
            )}
            <Download size={16} strokeWidth={1.75} aria-hidden="true" />
        </a>
    );
}

/** Its height is known before it is loaded: what is read does not move. */
function Image({ file }: { file: MessageFile }) {
    const t = useTranslations("files");
    const [isGone, setIsGone] = useState(false);
    return (
        <div className={styles.image}>
            {isGone ? (
                <p className={styles.gone}>{t("gone", { name: nameOf(file) })}</p>
            ) : (
                <a href={addressOf(file)} target="_blank" rel="noopener">
                    <img
                        src={addressOf(file)}
                        alt={nameOf(file)}
                        title={nameOf(file)}
                        loading="lazy"
                        decoding="async"
                        onError={() => setIsGone(true)}
                    />
                </a>
            )}
        </div>
    );
}

export function MessageFiles({ files }: { files: readonly MessageFile[] }) {
    const t = useTranslations("files");
    if (files.length === 0) {
        return null;
    }
    return (
        <ul className={styles.files} aria-label={t("list")}>
            {files.map((file, at) => (
                // The same file may be named twice.
                <li key={`${at} ${file.url}`}>
                    {isShownAsImage(file) ? <Image file={file} /> : <FileLink file={file} />}
                </li>
            ))}
        </ul>
    );
}
