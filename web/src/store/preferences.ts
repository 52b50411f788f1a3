// SPDX-License-Identifier: Apache-2.0
// How a person wants the page: theme, language, time, keys. Kept in this browser.
import { recall, remember } from "./memory";
import { Observable } from "./observable";

export const THEMES = ["system", "light", "dark"] as const;
export const LANGUAGES = ["en", "ja"] as const;

export const SEND_KEYS = ["enter", "ctrlEnter"] as const;

export type Theme = (typeof THEMES)[number];
export type Language = (typeof LANGUAGES)[number];

export interface Preferences {
    readonly theme: Theme;
    readonly language: Language;
    readonly time: "local" | "utc";
    /** What sends a message; with `ctrlEnter` Enter alone begins a new line. */
    readonly sendKey: (typeof SEND_KEYS)[number];
    /** Keys of one letter can be switched off: speech input and slips of the hand would press them. */
    readonly letterKeys: boolean;
}

const KEY = "convene.preferences";

function browserLanguage(): Language {
    return navigator.language.toLowerCase().startsWith("ja") ? "ja" : "en";
}

function load(): Preferences {
    const defaults: Preferences = {
        theme: "system",
        language: browserLanguage(),
        time: "local",
        sendKey: "enter",
        letterKeys: true,
    };
    try {
        return { ...defaults, ...JSON.parse(recall(KEY) ?? "{}") };
    } catch {
        return defaults;
    }
}

export const preferences = new Observable<Preferences>(load());

export function setPreference<Name extends keyof Preferences>(
    name: Name,
    value: Preferences[Name],
): void {
    preferences.update((held) => ({ ...held, [name]: value }));
    remember(KEY, JSON.stringify(preferences.get()));
}

/** The document follows: its theme is an attribute, its language decides fonts, breaking and speech. */
export function applyPreferences(): void {
    const { theme, language } = preferences.get();
    document.documentElement.dataset.theme = theme;
    document.documentElement.lang = language;
}
