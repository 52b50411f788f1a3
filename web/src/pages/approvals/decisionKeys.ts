// SPDX-License-Identifier: Apache-2.0
// The keys of decisions: they only move the focus, so that nothing is decided by a slip of the hand.

const FOCUSABLE = "button, input, select, textarea";

function targetIn(card: Element, verdict: "approve" | "reject"): HTMLElement | undefined {
    const place = card.querySelector<HTMLElement>(`[data-decide="${verdict}"]`);
    if (!place || place.offsetParent === null) {
        return undefined;
    }
    return place.matches(FOCUSABLE)
        ? place
        : (place.querySelector<HTMLElement>(FOCUSABLE) ?? undefined);
}

/** In the card that one is in, else in the first one that can be decided. */
export function focusDecision(verdict: "approve" | "reject"): void {
    const cards = [...document.querySelectorAll("[data-approval]")];
    const here = cards.filter((card) => card.contains(document.activeElement));
    const target = [...here, ...cards]
        .map((card) => targetIn(card, verdict))
        .find((found) => found !== undefined);
    target?.focus();
    target?.scrollIntoView({ block: "nearest" });
}
