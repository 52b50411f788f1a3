// SPDX-License-Identifier: Apache-2.0
// The forms in which the page is judged by axe: theme, language, width.

export interface Variant {
    theme: "light" | "dark";
    language: "en" | "ja";
    width: number;
}

const every: Variant[] = (["light", "dark"] as const).flatMap((theme) =>
    (["en", "ja"] as const).flatMap((language) =>
        [1280, 390].map((width) => ({ theme, language, width })),
    ),
);

/** Four of the eight hold each pair of values; `./dev web browse all` has all of them. */
const pairs = every.filter(
    ({ theme, language, width }) =>
        [theme === "dark", language === "ja", width === 390].filter(Boolean).length % 2 === 0,
);

export const variants = process.env.BROWSE_FORMS === "all" ? every : pairs;
