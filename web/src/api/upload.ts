// SPDX-License-Identifier: Apache-2.0
// Uploads a file into a room: by the one kind of request that tells how much has been sent.
import { reportUnauthenticated, writingHeaders } from "./client";
import type { Attachment } from "./model";
import { problemFromAnswer, unreachable } from "./problem";

export interface UploadRequest {
    roomId: string;
    file: File;
    /** The idempotency key: however often it is uploaded, the room has it once. */
    key: string;
    onSent: (bytes: number) => void;
    signal: AbortSignal;
}

function bodyOf(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        // No JSON is no answer of the server's: its status says the rest.
        return undefined;
    }
}

/** Ends with the attachment or a Problem; who aborts it hears that the server was not reached. */
export function uploadFile(asked: UploadRequest): Promise<Attachment> {
    const { roomId, file, key, onSent, signal } = asked;
    const query = new URLSearchParams({ filename: file.name });
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open("POST", `/api/v1/rooms/${encodeURIComponent(roomId)}/attachments?${query}`);
        const headers = {
            ...writingHeaders(),
            "Content-Type": file.type || "application/octet-stream",
            "Idempotency-Key": key,
        };
        for (const [name, value] of Object.entries(headers)) {
            request.setRequestHeader(name, value);
        }
        request.upload.onprogress = ({ loaded }) => onSent(loaded);
        request.onload = () => {
            const body = bodyOf(request.responseText);
            if (request.status >= 200 && request.status < 300) {
                resolve(body as Attachment);
                return;
            }
            if (request.status === 401) {
                reportUnauthenticated();
            }
            reject(problemFromAnswer(request.status, body));
        };
        request.onerror = () => reject(unreachable());
        request.onabort = () => reject(unreachable());
        signal.addEventListener("abort", () => request.abort(), { once: true });
        request.send(file);
    });
}
