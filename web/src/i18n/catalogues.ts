// SPDX-License-Identifier: Apache-2.0
// The catalogues: one is loaded at a time, and English decides which keys there are.
import type english from "./en.json";

export type Messages = typeof english;

declare module "use-intl" {
    interface AppConfig {
        Messages: Messages;
        Locale: "en" | "ja";
    }
}

export async function loadMessages(language: "en" | "ja"): Promise<Messages> {
    const module = language === "ja" ? await import("./ja.json") : await import("./en.json");
    return module.default;
}
