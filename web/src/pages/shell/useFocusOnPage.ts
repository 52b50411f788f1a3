// SPDX-License-Identifier: Apache-2.0
// Gives the focus to a page that was gone to, when what had it is no longer there.
import { useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";

export function useFocusOnPage(): void {
    const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
    useEffect(() => {
        if (path === undefined) {
            return;
        }
        // After the page took it where it wants it, as a room does with its field.
        const frame = requestAnimationFrame(() => {
            if (document.activeElement === document.body) {
                document.getElementById("main")?.focus();
            }
        });
        return () => cancelAnimationFrame(frame);
    }, [path]);
}
