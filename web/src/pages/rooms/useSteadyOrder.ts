// SPDX-License-Identifier: Apache-2.0
// Keeps a list's order while somebody points at it or is in it: rows must not move from under a hand.
import { useCallback, useRef, useState } from "react";

export function useSteadyOrder<Item extends { id: string }>(ordered: readonly Item[]) {
    const [isHeld, setIsHeld] = useState(false);
    const order = useRef<string[]>([]);
    if (!isHeld) {
        order.current = ordered.map((item) => item.id);
    }
    const known = new Map(ordered.map((item) => [item.id, item]));
    const kept = order.current.flatMap((id) => known.get(id) ?? []);
    const held = new Set(order.current);
    // What is new goes below: nothing above it moves.
    const steady = [...kept, ...ordered.filter((item) => !held.has(item.id))];
    return {
        steady,
        hold: useCallback(() => setIsHeld(true), []),
        release: useCallback(() => setIsHeld(false), []),
    };
}
