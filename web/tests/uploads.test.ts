// SPDX-License-Identifier: Apache-2.0
// The files of a message that is being written: one at a time, kept, retried, given up, taken once.
import { describe, expect, it } from "vitest";
import type { Attachment } from "../src/api/model";
import { Problem } from "../src/api/problem";
import type { UploadRequest } from "../src/api/upload";
import { FILES_OF_MESSAGE, Uploads } from "../src/store/uploads";

interface Call {
    request: UploadRequest;
    resolve: (stored: Attachment) => void;
    reject: (reason: unknown) => void;
}

function makeUploads() {
    const calls: Call[] = [];
    const discarded: string[] = [];
    let keys = 0;
    const uploads = new Uploads({
        send: (request) =>
            new Promise((resolve, reject) => calls.push({ request, resolve, reject })),
        discard: async (id) => void discarded.push(id),
        newKey: () => {
            keys += 1;
            return `key-${keys}`;
        },
    });
    return { uploads, calls, discarded };
}

const fileOf = (name: string) => new File(["12345"], name);
const filesOf = (count: number) => Array.from({ length: count }, (_, at) => fileOf(`${at}.txt`));
const settle = () => new Promise((resolve) => setTimeout(resolve));

function storedAs(id: string, change: Partial<Attachment> = {}): Attachment {
    return {
        id,
        room_id: "room",
        url: `attachment:${id}`,
        filename: `${id}.png`,
        mime_type: "image/png",
        size_bytes: 5,
        sha256: "",
        uploaded_by: "user:aiko",
        created_at: "2026-12-01T00:00:00Z",
        ...change,
    };
}

const statesOf = ({ uploads }: ReturnType<typeof makeUploads>) =>
    uploads.entries.get().map(({ state }) => state);

describe("uploads", () => {
    it("SendOneFileAfterTheOther", async () => {
        const made = makeUploads();
        made.uploads.add("room", "", [fileOf("a"), fileOf("b")]);
        expect(statesOf(made)).toEqual(["sending", "waiting"]);
        made.calls[0]?.resolve(storedAs("one"));
        await settle();
        expect(statesOf(made)).toEqual(["stored", "sending"]);
        expect(made.calls.map(({ request }) => request.file.name)).toEqual(["a", "b"]);
    });

    it("TellHowMuchWasSent", () => {
        const { uploads, calls } = makeUploads();
        uploads.add("room", "", [fileOf("a")]);
        calls[0]?.request.onSent(3);
        expect(uploads.entries.get()[0]).toMatchObject({ sent: 3, size: 5 });
    });

    it("AreTakenByTheirMessageOnceAllAreStored", async () => {
        const { uploads, calls } = makeUploads();
        uploads.add("room", "", [fileOf("a"), fileOf("b")]);
        calls[0]?.resolve(storedAs("one"));
        await settle();
        expect(uploads.take("room", "")).toBeUndefined();
        calls[1]?.resolve(storedAs("two"));
        await settle();
        const taken = uploads.take("room", "");
        expect(taken?.map(({ url }) => url)).toEqual(["attachment:one", "attachment:two"]);
        expect(taken?.[0]).toEqual({
            type: "media",
            url: "attachment:one",
            mime_type: "image/png",
            filename: "one.png",
            size_bytes: 5,
        });
        expect(uploads.take("room", "")).toEqual([]);
    });

    it("AreTakenByNoOtherMessage", async () => {
        const { uploads, calls } = makeUploads();
        uploads.add("room", "thread", [fileOf("a")]);
        calls[0]?.resolve(storedAs("one"));
        await settle();
        expect(uploads.take("room", "")).toEqual([]);
        expect(uploads.take("other", "thread")).toEqual([]);
        expect(uploads.take("room", "thread")).toHaveLength(1);
    });

    it("GoOnAfterARefusalAndRetryUnderTheSameKey", async () => {
        const made = makeUploads();
        const { uploads, calls } = made;
        uploads.add("room", "", [fileOf("a"), fileOf("b")]);
        calls[0]?.reject(new Problem({ code: "ATTACHMENT_QUOTA_EXCEEDED", status: 409 }));
        await settle();
        expect(statesOf(made)).toEqual(["refused", "sending"]);
        calls[1]?.resolve(storedAs("two"));
        await settle();
        expect(uploads.take("room", "")).toBeUndefined();
        uploads.retry("key-1");
        expect(calls[2]?.request).toMatchObject({ key: "key-1" });
        expect(uploads.entries.get()[0]?.problem).toBeUndefined();
    });

    it("AbortWhatIsRemovedWhileItIsSent", async () => {
        const { uploads, calls } = makeUploads();
        uploads.add("room", "", [fileOf("a"), fileOf("b")]);
        const signal = calls[0]?.request.signal;
        uploads.remove("key-1");
        expect(signal?.aborted).toBe(true);
        calls[0]?.reject(new Problem({ code: "UNREACHABLE", status: 0 }));
        await settle();
        expect(calls[1]?.request.file.name).toBe("b");
        expect(uploads.entries.get()).toHaveLength(1);
    });

    it("DiscardWhatIsRemovedWhenItIsStored", async () => {
        const { uploads, calls, discarded } = makeUploads();
        uploads.add("room", "", [fileOf("a"), fileOf("b")]);
        calls[0]?.resolve(storedAs("one"));
        await settle();
        uploads.remove("key-1");
        expect(discarded).toEqual(["one"]);
        // Removed just before its answer came: nobody would know of it.
        uploads.remove("key-2");
        calls[1]?.resolve(storedAs("two"));
        await settle();
        expect(discarded).toEqual(["one", "two"]);
    });

    it("LeaveOutWhatIsTooMuchForAMessage", () => {
        const { uploads } = makeUploads();
        expect(uploads.add("room", "", filesOf(FILES_OF_MESSAGE - 1))).toBe(0);
        expect(uploads.add("room", "", filesOf(3))).toBe(2);
        expect(uploads.add("room", "thread", filesOf(1))).toBe(0);
        expect(uploads.entries.get()).toHaveLength(FILES_OF_MESSAGE + 1);
    });

    it("ComeBackFromAMessageThatCouldNotBeSent", () => {
        const { uploads, calls } = makeUploads();
        const { url, mime_type, filename } = storedAs("one");
        const media = { type: "media", url, mime_type, filename } as const;
        uploads.putBack("room", "", [media]);
        expect(calls).toHaveLength(0);
        expect(uploads.take("room", "")).toEqual([media]);
    });

    it("StopWithTheSession", async () => {
        const { uploads, calls } = makeUploads();
        uploads.add("room", "", filesOf(2));
        uploads.stop();
        expect(calls[0]?.request.signal.aborted).toBe(true);
        calls[0]?.reject(new Problem({ code: "UNREACHABLE", status: 0 }));
        await settle();
        expect(calls).toHaveLength(1);
    });
});
