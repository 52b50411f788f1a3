// SPDX-License-Identifier: Apache-2.0
// Tells a device where focusing a field brings up a keyboard over half of the page.

export function isTouch(): boolean {
    return matchMedia("(pointer: coarse)").matches;
}
