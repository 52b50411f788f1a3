// SPDX-License-Identifier: Apache-2.0
// The catalogues: one language is loaded at a time, what is not needed everywhere with the pages that need it, and English
// decides which keys there are.
import type english from "./en.json";
import type work from "./work/en.json";

/** What is there from the start. */
export type Messages = typeof english;

/** What workflows and their executions say: it comes with their pages. */
export type WorkMessages = typeof work;

declare module "use-intl" {
    interface AppConfig {
        Messages: Messages & WorkMessages;
        Locale: "en" | "ja";
    }
}

export async function loadMessages(language: "en" | "ja"): Promise<Messages> {
    const module = language === "ja" ? await import("./ja.json") : await import("./en.json");
    return module.default;
}

export async function loadWorkMessages(language: "en" | "ja"): Promise<WorkMessages> {
    const module =
        language === "ja" ? await import("./work/ja.json") : await import("./work/en.json");
    return module.default;
}
