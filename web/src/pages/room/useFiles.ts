// SPDX-License-Identifier: Apache-2.0
// The ways in which files come to a message: picked, pasted into its field, or dropped on it.
import { type ClipboardEvent, type DragEvent, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { FILES_OF_MESSAGE } from "../../store/uploads";
import { showToast } from "../../ui/toast";
import { useReadable } from "../../ui/useReadable";
import { useSession } from "../shell/SessionContext";
import { useOpenRoom } from "./RoomContext";

function hasFiles(event: globalThis.DragEvent | DragEvent): boolean {
    return event.dataTransfer?.types.includes("Files") ?? false;
}

/** A folder looks like a file, and can't be read as one. */
function filesIn(data: DataTransfer): { files: File[]; hasFolder: boolean } {
    const items = [...data.items].filter(({ kind }) => kind === "file");
    const files = items.flatMap((item) =>
        item.webkitGetAsEntry()?.isDirectory ? [] : (item.getAsFile() ?? []),
    );
    return { files, hasFolder: files.length < items.length };
}

/** A file that is dropped beside the field would otherwise take the place of the page. */
function useNoOtherDrops(): void {
    useEffect(() => {
        const refuse = (event: globalThis.DragEvent) => {
            if (hasFiles(event) && !event.defaultPrevented && event.dataTransfer) {
                event.preventDefault();
                event.dataTransfer.dropEffect = "none";
            }
        };
        window.addEventListener("dragover", refuse);
        window.addEventListener("drop", refuse);
        return () => {
            window.removeEventListener("dragover", refuse);
            window.removeEventListener("drop", refuse);
        };
    }, []);
}

export function useFiles(thread: string) {
    const t = useTranslations("files");
    const session = useSession();
    const { room } = useOpenRoom();
    const all = useReadable(session.uploads.entries);
    const [isOver, setIsOver] = useState(false);
    useNoOtherDrops();

    function add(files: readonly File[]): void {
        if (session.uploads.add(room.roomId, thread, files) > 0) {
            showToast({ text: t("tooMany", { count: FILES_OF_MESSAGE }) });
        }
    }

    return {
        uploads: all.filter((upload) => upload.roomId === room.roomId && upload.thread === thread),
        add,
        /** What was copied as text is pasted as text, also when a picture of it comes along. */
        onPaste: (paste: ClipboardEvent) => {
            const { files, types } = paste.clipboardData;
            if (files.length > 0 && !types.includes("text/plain")) {
                paste.preventDefault();
                add([...files]);
            }
        },
        isOver,
        zone: {
            onDragOver: (drag: DragEvent) => {
                if (hasFiles(drag)) {
                    drag.preventDefault();
                    setIsOver(true);
                }
            },
            onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
                if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) {
                    setIsOver(false);
                }
            },
            onDrop: (drop: DragEvent) => {
                setIsOver(false);
                if (hasFiles(drop)) {
                    drop.preventDefault();
                    const { files, hasFolder } = filesIn(drop.dataTransfer);
                    add(files);
                    if (hasFolder) {
                        showToast({ text: t("noFolders") });
                    }
                }
            },
        },
    };
}
