// SPDX-License-Identifier: Apache-2.0
// Whether the page is as narrow as on a phone: for what is shown in another way there, not only in another place.
import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 640px)");

function watch(listener: () => void): () => void {
    narrow.addEventListener("change", listener);
    return () => narrow.removeEventListener("change", listener);
}

export function useNarrow(): boolean {
    return useSyncExternalStore(watch, () => narrow.matches);
}
