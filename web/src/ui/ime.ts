// SPDX-License-Identifier: Apache-2.0
// Keys that belong to a conversion act on nothing but its field: no shortcut, no list, no dialog hears them.

/** Safari, or a field that lost the focus, ends the composition before the key arrives: then only 229 tells. */
function isOfConversion(key: KeyboardEvent): boolean {
    return key.isComposing || key.keyCode === 229;
}

/** Whoever listens further inside, ours or a library's, need not ask. The field itself still gets the key. */
export function keepConversionKeys(page: Window): void {
    page.addEventListener(
        "keydown",
        (key) => {
            if (isOfConversion(key)) {
                key.stopPropagation();
            }
        },
        { capture: true },
    );
}
