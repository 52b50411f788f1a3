// SPDX-License-Identifier: Apache-2.0
// Whether a key of a single letter is a shortcut, or text, or the business of a dialog.
import { preferences } from "../store/preferences";

const WRITES = "input, textarea, select, [contenteditable='true'], [role='menu'], [role='dialog']";

export function isLetterKeyMeant(key: KeyboardEvent): boolean {
    const isElsewhere = key.target instanceof Element && key.target.closest(WRITES) !== null;
    return preferences.get().letterKeys && !isElsewhere;
}
