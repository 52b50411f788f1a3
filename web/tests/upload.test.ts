// SPDX-License-Identifier: Apache-2.0
// One upload: what it asks, what it tells while it goes, and what becomes of every answer.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setCsrfToken, whenUnauthenticated } from "../src/api/client";
import { uploadFile } from "../src/api/upload";

class FakeRequest {
    static last: FakeRequest;
    readonly headers = new Map<string, string>();
    readonly upload: { onprogress?: (progress: { loaded: number }) => void } = {};
    opened: string[] = [];
    body: unknown;
    status = 0;
    responseText = "";
    onload?: () => void;
    onerror?: () => void;
    onabort?: () => void;

    constructor() {
        FakeRequest.last = this;
    }

    open(...asked: string[]) {
        this.opened = asked;
    }

    setRequestHeader(name: string, value: string) {
        this.headers.set(name, value);
    }

    send(body: unknown) {
        this.body = body;
    }

    abort() {
        this.onabort?.();
    }

    answer(status: number, text: string) {
        this.status = status;
        this.responseText = text;
        this.onload?.();
    }
}

function begin(file = new File(["12345"], "a b&c.png", { type: "image/png" })) {
    const sent: number[] = [];
    const abort = new AbortController();
    const done = uploadFile({
        roomId: "room",
        file,
        key: "key-1",
        onSent: (bytes) => sent.push(bytes),
        signal: abort.signal,
    });
    return { done, sent, abort, request: FakeRequest.last };
}

describe("upload", () => {
    beforeEach(() => {
        vi.stubGlobal("XMLHttpRequest", FakeRequest);
        setCsrfToken("csrf");
    });
    afterEach(() => {
        vi.unstubAllGlobals();
        setCsrfToken("");
        whenUnauthenticated(() => undefined);
    });

    it("SendsTheBytesUnderTheirNameAndKey", async () => {
        const { request, done, sent } = begin();
        expect(request.opened).toEqual([
            "POST",
            "/api/v1/rooms/room/attachments?filename=a+b%26c.png",
        ]);
        expect(Object.fromEntries(request.headers)).toEqual({
            "Content-Type": "image/png",
            "Idempotency-Key": "key-1",
            "X-CSRF-Token": "csrf",
        });
        request.upload.onprogress?.({ loaded: 3 });
        expect(sent).toEqual([3]);
        request.answer(201, '{"id":"one"}');
        expect(await done).toEqual({ id: "one" });
    });

    it("SaysWhatTheServerRefused", async () => {
        const { request, done } = begin(new File([], "none"));
        expect(request.headers.get("Content-Type")).toBe("application/octet-stream");
        request.answer(413, '{"code":"PAYLOAD_TOO_LARGE","status":413}');
        await expect(done).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE", status: 413 });
    });

    it("TakesAnAnswerOfAProxyForNoAnswer", async () => {
        const { request, done } = begin();
        request.answer(502, "<html>");
        await expect(done).rejects.toMatchObject({ code: "UNREACHABLE" });
    });

    it("ReportsALostSession", async () => {
        const lost = vi.fn();
        whenUnauthenticated(lost);
        const { request, done } = begin();
        request.answer(401, '{"code":"UNAUTHENTICATED","status":401}');
        await expect(done).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
        expect(lost).toHaveBeenCalledOnce();
    });

    it("EndsWhenTheConnectionIsLostOrItIsAborted", async () => {
        const lost = begin();
        lost.request.onerror?.();
        await expect(lost.done).rejects.toMatchObject({ code: "UNREACHABLE" });
        const aborted = begin();
        aborted.abort.abort();
        await expect(aborted.done).rejects.toMatchObject({ code: "UNREACHABLE" });
    });
});
