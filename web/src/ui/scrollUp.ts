// SPDX-License-Identifier: Apache-2.0
// When a wheel or a finger begins to scroll a list up: known before the list has moved.

/** Calls `act` at each such step, as long as there is something above. Answers with what ends it. */
export function whenScrolledUp(place: HTMLElement, act: () => void): () => void {
    let finger: number | undefined;
    const step = (isUp: boolean) => {
        if (isUp && place.scrollTop > 0) {
            act();
        }
    };
    const onWheel = ({ deltaY, ctrlKey }: WheelEvent) => {
        // With Ctrl the wheel changes the size of the page.
        step(deltaY < 0 && !ctrlKey);
    };
    const onTouch = ({ touches }: TouchEvent) => {
        const at = touches[0]?.clientY;
        // The list goes with the finger: down is towards what is above.
        step(at !== undefined && finger !== undefined && at > finger);
        finger = at;
    };
    const touches = ["touchstart", "touchmove", "touchend", "touchcancel"] as const;
    place.addEventListener("wheel", onWheel, { passive: true });
    for (const name of touches) {
        place.addEventListener(name, onTouch, { passive: true });
    }
    return () => {
        place.removeEventListener("wheel", onWheel);
        for (const name of touches) {
            place.removeEventListener(name, onTouch);
        }
    };
}
