// SPDX-License-Identifier: Apache-2.0
// Files in messages: picked, pasted, dropped; seen by others, kept over a reload, refused in plain words.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { bringIn, composerOf, enterRoom, eventsOf, expect, newRoom, test } from "./check";
import { FILE_BYTES } from "./server";

// 4 by 3 points of one colour.
const PNG = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAIAAAA7ljmRAAAAEElEQVR4nGNQTl4ARwz4OABzlgvpO0BEcAAAAABJRU5ErkJggg==",
    "base64",
);
const REPORT = Buffer.from("one,two\n1,2\n");

interface Sample {
    name: string;
    mimeType: string;
    buffer: Buffer;
}

const photo: Sample = { name: "photo.png", mimeType: "image/png", buffer: PNG };
const report: Sample = { name: "報告 & more.csv", mimeType: "text/csv", buffer: REPORT };

function pick(page: Page, ...files: Sample[]): Promise<void> {
    return page.locator('input[type="file"]').setInputFiles(files);
}

/** What a paste or a drop brings, as the browser hands it over. */
async function hand(page: Page, how: "paste" | "drop", sample: Sample): Promise<void> {
    await composerOf(page).evaluate(
        (field, { how, name, type, bytes }) => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], name, { type }));
            const options = { bubbles: true, cancelable: true };
            field.dispatchEvent(
                how === "paste"
                    ? new ClipboardEvent("paste", { ...options, clipboardData: data })
                    : new DragEvent("drop", { ...options, dataTransfer: data }),
            );
        },
        { how, name: sample.name, type: sample.mimeType, bytes: [...sample.buffer] },
    );
}

function stored(page: Page) {
    return page.locator('[data-upload="stored"]');
}

/** The image is there, and was decoded. */
async function expectImage(page: Page): Promise<void> {
    const image = page.locator("[data-event-index]").getByRole("img", { name: photo.name });
    await expect(image).toBeVisible();
    await expect
        .poll(() => image.evaluate((shown: HTMLImageElement) => shown.naturalWidth))
        .toBe(4);
}

test("AnImageAndAFileReachTheOtherAndStayOverAReload", async ({ server, aiko, ben }) => {
    const room = await newRoom(aiko, server.url, "Files");
    await bringIn(aiko, server.url, room, ben);
    await enterRoom(ben, server.url, room);
    const { page } = aiko;
    await pick(page, photo, report);
    await expect(stored(page)).toHaveCount(2);
    await composerOf(page).fill("have a look");
    await composerOf(page).press("Enter");
    await expect(page.locator("[data-upload]")).toHaveCount(0);

    for (const each of [ben.page, page]) {
        for (const when of ["live", "reloaded"]) {
            await expect(each.getByText("have a look"), when).toBeVisible();
            await expectImage(each);
            const link = each.getByRole("link", { name: report.name });
            await expect(link).toContainText("12 byte");
            const coming = each.waitForEvent("download");
            await link.click();
            const download = await coming;
            expect(download.suggestedFilename()).toBe(report.name);
            expect(readFileSync(await download.path())).toEqual(REPORT);
            await each.reload();
        }
    }
    const [event] = await eventsOf(aiko, server.url, room);
    expect(event?.content.type).toBe("composite");
});

test("FilesArePastedAndDroppedAndGoWithoutAText", async ({ server, aiko }) => {
    const room = await newRoom(aiko, server.url, "Handed");
    const { page } = aiko;
    await hand(page, "paste", photo);
    await expect(stored(page)).toHaveCount(1);
    await hand(page, "drop", report);
    await expect(stored(page)).toHaveCount(2);
    await page.getByRole("button", { name: `Remove ${report.name}` }).click();
    await expect(stored(page)).toHaveCount(1);
    // What is begun is there again after a look elsewhere.
    await page.getByRole("link", { name: "Inbox" }).click();
    await page.waitForURL("**/inbox");
    await page.goBack();
    await expect(stored(page)).toHaveCount(1);
    await composerOf(page).press("Enter");
    await expectImage(page);
    const [event] = await eventsOf(aiko, server.url, room);
    expect(event?.content).toMatchObject({ type: "media", filename: photo.name });

    // An edit adds words, and leaves the file.
    await composerOf(page).press("ArrowUp");
    const box = page.getByRole("textbox", { name: "Edit message" });
    await box.fill("with words");
    await box.press("Enter");
    await expect(page.getByText("with words")).toBeVisible();
    await expectImage(page);
});

test("ANameCanNotPretendToBeAnother", async ({ server, aiko }) => {
    await newRoom(aiko, server.url, "Names");
    const { page } = aiko;
    const name = `\u202E<img src=x onerror=alert(1)>${"w".repeat(300)}.csv`;
    await pick(page, { ...report, name });
    await expect(stored(page)).toHaveCount(1);
    await composerOf(page).press("Enter");
    const link = page.locator("[data-event-index]").getByRole("link");
    await expect(link).toContainText("<img src=x onerror=alert(1)>www");
    expect(await link.textContent()).not.toContain("\u202E");
    const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(isWider).toBe(false);
});

test.describe("what the server refuses", () => {
    // The browser tells of each refused request.
    test.use({ allowed: /status of 4(09|13)/ });

    test("IsSaidInPlainWordsAndCanBeGivenUp", async ({ server, aiko }) => {
        await newRoom(aiko, server.url, "Refused");
        const { page } = aiko;
        const sized = (name: string, bytes: number): Sample => ({
            name,
            mimeType: "application/octet-stream",
            buffer: Buffer.alloc(bytes, name),
        });
        await pick(page, sized("huge.bin", FILE_BYTES.file + 1));
        await expect(page.getByRole("alert")).toHaveText(
            "This file is larger than the server takes.",
        );
        await composerOf(page).fill("a text");
        await composerOf(page).press("Enter");
        await expect(page.getByText("can be sent when its files are uploaded")).toBeVisible();
        await expect(composerOf(page)).toHaveValue("a text");
        await page.getByRole("button", { name: "Remove huge.bin" }).click();

        await pick(page, sized("a.bin", FILE_BYTES.file), sized("b.bin", FILE_BYTES.file));
        await expect(page.getByRole("alert")).toHaveText(/^There is no space left for files here/);
        await expect(stored(page)).toHaveCount(1);
        // Room is made by what is removed, and the same upload is tried again.
        await page.getByRole("button", { name: "Remove a.bin" }).click();
        await page.getByRole("button", { name: "Upload b.bin again" }).click();
        await expect(stored(page)).toHaveCount(1);
        await composerOf(page).press("Enter");
        await expect(page.getByRole("link", { name: "b.bin" })).toBeVisible();
    });
});
