// SPDX-License-Identifier: Apache-2.0
// What is typed right after a key that opens something: it may still be loading, and what has the focus until then
// must not get it.

let text = "";
let stop: (() => void) | undefined;

/**
 * Keeps what is typed from now on, until it is taken. A key that would act, like Enter, is dropped: nobody has seen
 * yet what it would act on. Something pressed with the mouse or Escape ends it.
 */
export function keepTyped(): void {
    takeTyped();
    const onKey = (key: KeyboardEvent) => {
        if (key.ctrlKey || key.metaKey || key.altKey) {
            return;
        }
        if (key.key === "Escape") {
            takeTyped();
            return;
        }
        key.preventDefault();
        key.stopImmediatePropagation();
        if (key.key === "Backspace") {
            text = [...text].slice(0, -1).join("");
        } else if ([...key.key].length === 1) {
            text += key.key;
        }
    };
    const onPointer = () => void takeTyped();
    window.addEventListener("keydown", onKey, { capture: true });
    window.addEventListener("pointerdown", onPointer, { capture: true });
    stop = () => {
        window.removeEventListener("keydown", onKey, { capture: true });
        window.removeEventListener("pointerdown", onPointer, { capture: true });
    };
}

/** What was typed since; from here on keys go where the focus is. */
export function takeTyped(): string {
    const typed = text;
    text = "";
    stop?.();
    stop = undefined;
    return typed;
}
