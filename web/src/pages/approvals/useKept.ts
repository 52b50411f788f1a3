// SPDX-License-Identifier: Apache-2.0
// Keeps what was shown: a card whose question was decided says so in its place, instead of going from under a hand.
import { useRef, useState } from "react";
import type { Approval } from "../../api/model";

export interface Kept {
    asked: Approval;
    /** The server still waits for somebody to decide. */
    isOpen: boolean;
}

export function useKept(open: readonly Approval[]) {
    const held = useRef(new Map<string, Approval>());
    const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
    // What is new goes below: nothing above it moves.
    for (const one of open) {
        held.current.set(one.id, one);
    }
    const ids = new Set(open.map((one) => one.id));
    const kept: Kept[] = [...held.current.values()]
        .map((asked) => ({ asked, isOpen: ids.has(asked.id) }))
        .filter(({ asked, isOpen }) => isOpen || !dismissed.has(asked.id));
    return {
        kept,
        dismiss: (id: string) => setDismissed((before) => new Set(before).add(id)),
    };
}
