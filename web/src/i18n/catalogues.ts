// SPDX-License-Identifier: Apache-2.0
// The catalogues: one language is loaded at a time, what is not needed everywhere with the pages that need it, and English
// decides which keys there are.
import type answer from "./answer/en.json";
import type english from "./en.json";
import type keys from "./keys/en.json";
import type later from "./later/en.json";
import type notices from "./notices/en.json";
import type operate from "./operate/en.json";
import type work from "./work/en.json";

/** What is there from the start. */
export type Messages = typeof english;

/**
 * Parts of the page that have words of their own: workflows and executions, what operators and admins see, forms that
 * answer a question, notifications, the list of keys, and what an agent goes on with later.
 */
export type Area = "work" | "operate" | "answer" | "notices" | "keys" | "later";
export type AreaMessages =
    | typeof work
    | typeof operate
    | typeof answer
    | typeof notices
    | typeof keys
    | typeof later;

declare module "use-intl" {
    interface AppConfig {
        Messages: Messages &
            typeof work &
            typeof operate &
            typeof answer &
            typeof notices &
            typeof keys &
            typeof later;
        Locale: "en" | "ja";
    }
}

export async function loadMessages(language: "en" | "ja"): Promise<Messages> {
    const module = language === "ja" ? await import("./ja.json") : await import("./en.json");
    return module.default;
}

const AREAS = {
    work: { en: () => import("./work/en.json"), ja: () => import("./work/ja.json") },
    answer: { en: () => import("./answer/en.json"), ja: () => import("./answer/ja.json") },
    notices: { en: () => import("./notices/en.json"), ja: () => import("./notices/ja.json") },
    keys: { en: () => import("./keys/en.json"), ja: () => import("./keys/ja.json") },
    later: { en: () => import("./later/en.json"), ja: () => import("./later/ja.json") },
    operate: { en: () => import("./operate/en.json"), ja: () => import("./operate/ja.json") },
};

export async function loadAreaMessages(area: Area, language: "en" | "ja"): Promise<AreaMessages> {
    return (await AREAS[area][language]()).default;
}
