// SPDX-License-Identifier: Apache-2.0
// Messages of text and files: put together, taken apart, and told in words.
import { describe, expect, it } from "vitest";
import type { Content, MediaContent } from "../src/api/model";
import {
    addressOf,
    contentOf,
    excerptOf,
    filesOf,
    isShownAsImage,
    nameOf,
    plainOf,
    wordsOf,
    writtenIn,
} from "../src/store/content";

const photo: MediaContent = {
    type: "media",
    url: "attachment:one",
    mime_type: "image/png",
    filename: "photo.png",
    size_bytes: 2_000,
};
const report: MediaContent = {
    type: "media",
    url: "attachment:two",
    mime_type: "application/pdf",
    filename: "report.pdf",
};
const text: Content = { type: "text", body: "look" };

describe("content", () => {
    it("IsAsSimpleAsWhatWasWritten", () => {
        expect(contentOf({ body: "look", files: [] })).toEqual(text);
        expect(contentOf({ body: "", files: [photo] })).toEqual(photo);
        expect(contentOf({ body: "look", files: [photo] })).toEqual({
            type: "composite",
            parts: [text, photo],
        });
        expect(contentOf({ body: "", files: [photo, report] })).toEqual({
            type: "composite",
            parts: [photo, report],
        });
    });

    it("IsTakenApartAsItWasPutTogether", () => {
        for (const written of [
            { body: "look", files: [] },
            { body: "", files: [photo] },
            { body: "look", files: [photo, report] },
            { body: "", files: [photo, report] },
        ]) {
            expect(writtenIn(contentOf(written))).toEqual(written);
        }
    });

    it("IsNotTakenApartWhenMoreIsInIt", () => {
        for (const content of [
            { ...photo, caption: "with words" },
            { ...photo, url: "https://example.org/a.png" },
            { type: "composite", parts: [text, photo, text] },
            { type: "audio", url: "attachment:three", mime_type: "audio/ogg" },
            { type: "location", latitude: 1, longitude: 2 },
        ] as Content[]) {
            expect(writtenIn(content)).toBeUndefined();
        }
    });

    it("TellsItsFilesWhereverTheyAre", () => {
        const nested: Content = {
            type: "composite",
            parts: [text, { type: "composite", parts: [photo, report] }],
        };
        expect(filesOf(nested)).toEqual([photo, report]);
        expect(filesOf({ ...photo, url: "https://example.org/a.png" })).toEqual([]);
    });

    it("IsNamedByItsFilesOnlyWhenItHasNoWords", () => {
        const both = contentOf({ body: "", files: [photo, report] });
        expect(wordsOf(both)).toBe("");
        expect(plainOf(both)).toBe("photo.png, report.pdf");
        expect(excerptOf(contentOf({ body: "look", files: [photo] }))).toBe("look");
    });

    it("KeepsANameFromTurningItselfAround", () => {
        expect(nameOf({ ...photo, filename: "\u202Egnp.exe" })).toBe("gnp.exe");
        expect(nameOf({ ...photo, filename: "\u2066 \u2069" })).toBe("image/png");
        expect(nameOf({ url: "attachment:three", mime_type: "audio/ogg" })).toBe("audio/ogg");
    });

    it("IsFetchedFromTheServerAndNowhereElse", () => {
        expect(addressOf(photo)).toBe("/api/v1/attachments/one");
        expect(addressOf({ ...photo, url: "attachment:../../x" })).toBe(
            "/api/v1/attachments/..%2F..%2Fx",
        );
    });

    it("ShowsImagesThatBrowsersKnowAndThatAreNotHuge", () => {
        expect(isShownAsImage(photo)).toBe(true);
        expect(isShownAsImage({ ...photo, size_bytes: undefined })).toBe(true);
        expect(isShownAsImage({ ...photo, size_bytes: 10_000_001 })).toBe(false);
        expect(isShownAsImage({ ...photo, mime_type: "image/svg+xml" })).toBe(false);
        expect(isShownAsImage(report)).toBe(false);
    });
});
