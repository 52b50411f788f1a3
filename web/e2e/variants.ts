// SPDX-License-Identifier: Apache-2.0
// The forms in which the page is judged by axe: theme, language, width.
import type { Page } from "@playwright/test";

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

/** Two of the eight hold each theme, language and width; `./dev web browse all` has all of them. */
const opposites = every.filter(
    ({ theme, language, width }) =>
        (theme === "dark") === (language === "ja") && (theme === "dark") === (width === 390),
);

export const variants = process.env.BROWSE_FORMS === "all" ? every : opposites;

/** Shows the page that is open in one of the forms. */
export async function showAs(page: Page, { theme, language, width }: Variant): Promise<void> {
    await page.evaluate(
        (preferences) => localStorage.setItem("convene.preferences", preferences),
        JSON.stringify({ theme, language }),
    );
    await page.setViewportSize({ width, height: 800 });
    await page.reload();
}
