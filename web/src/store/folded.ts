// SPDX-License-Identifier: Apache-2.0
// A text as it is compared by who searches.

/** Full-width and half-width letters and digits are the same, and so are large and small ones. */
export function folded(text: string): string {
    return text.normalize("NFKC").toLocaleLowerCase();
}
