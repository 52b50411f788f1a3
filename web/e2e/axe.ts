// SPDX-License-Identifier: Apache-2.0
// What axe finds in a page as it stands.

import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

declare global {
    interface Window {
        axe?: typeof axe;
    }
}

/**
 * No finding that is serious or critical.
 *
 * Axe is read once a page, and not in a second page that puts frames together: ours have none.
 */
export async function expectNothingSerious(page: Page, where: string): Promise<void> {
    if (await page.evaluate(() => window.axe === undefined)) {
        await page.evaluate(axe.source);
    }
    const found = await page.evaluate(async () => {
        // Colours on their way from one to another are nobody's choice.
        const passing = document
            .getAnimations()
            .filter(({ effect }) => Number.isFinite(Number(effect?.getComputedTiming().endTime)));
        await Promise.allSettled(passing.map(({ finished }) => finished));
        // Style sheets would be fetched for a rule alone that is switched off.
        const { violations } = await window.axe!.run(document, {
            resultTypes: ["violations"],
            preload: false,
        });
        return violations
            .filter(({ impact }) => impact === "serious" || impact === "critical")
            .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
    });
    expect(found, where).toEqual([]);
}
