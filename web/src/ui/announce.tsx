// SPDX-License-Identifier: Apache-2.0
// The one place that speaks to screen readers: politely, and never more than the newest sentence.
import { Observable } from "../store/observable";
import { useReadable } from "./useReadable";

const sentence = new Observable("");

export function announce(text: string): void {
    sentence.set(text);
}

export function Announcer() {
    return (
        <output className="hidden-visually" aria-live="polite">
            {useReadable(sentence)}
        </output>
    );
}
