// SPDX-License-Identifier: Apache-2.0
// Tells an Enter that sends from an Enter that only confirms a conversion.
import type { KeyboardEvent } from "react";

/** Safari ends the composition before the key arrives, and only 229 tells. */
export function isComposing(key: KeyboardEvent): boolean {
    return key.nativeEvent.isComposing || key.keyCode === 229;
}
