// SPDX-License-Identifier: Apache-2.0
// The keys that work on every page.
import { useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";
import { tinykeys } from "tinykeys";
import type { Session } from "../../store/session";
import { isLetterKeyMeant } from "../../ui/letterKeys";
import { focusDecision } from "../approvals/decisionKeys";
import { useMarkAllRead } from "../rooms/useMarkAllRead";
import { useNextUnread } from "../rooms/useNextUnread";
import type { Overlay } from "./Shell";

/** Moves focus to the next region of the page: the rail, the list, the room, the panel. */
function focusNextRegion(step: 1 | -1): void {
    const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")].filter(
        (region) => region.offsetParent !== null,
    );
    const at = regions.findIndex((region) => region.contains(document.activeElement));
    const next = regions[(at + step + regions.length) % regions.length];
    const target =
        next?.querySelector<HTMLElement>("[data-region-start]") ??
        next?.querySelector<HTMLElement>(
            "a[href], button:not([disabled]), textarea, [tabindex='0']",
        );
    target?.focus();
}

function regionKey(step: 1 | -1): (key: KeyboardEvent) => void {
    return (key) => {
        key.preventDefault();
        focusNextRegion(step);
    };
}

export function useShortcuts(session: Session, open: (overlay: Overlay) => void): void {
    const router = useRouter();
    const nextUnread = useNextUnread(session);
    const markAllRead = useMarkAllRead(session);
    // Not what the keys are listened to by: a message that comes between two keys of a sequence would lose it.
    const show = useEffectEvent(open);
    const markAll = useEffectEvent(markAllRead);
    const toUnread = useEffectEvent((direction: 1 | -1) => {
        const roomId = nextUnread(direction);
        if (roomId !== undefined) {
            void router.navigate({ to: "/rooms/$roomId", params: { roomId } });
        }
    });

    useEffect(() => {
        function letter(act: () => void): (key: KeyboardEvent) => void {
            return (key) => {
                if (isLetterKeyMeant(key)) {
                    key.preventDefault();
                    act();
                }
            };
        }
        return tinykeys(window, {
            "$mod+k": (key) => {
                key.preventDefault();
                show("palette");
            },
            F6: regionKey(1),
            "Shift+F6": regionKey(-1),
            "Shift+Escape": (key) => {
                key.preventDefault();
                markAll();
            },
            // With or without Shift: where the question mark is depends on the keyboard.
            "?": letter(() => show("keys")),
            "Shift+?": letter(() => show("keys")),
            "g i": letter(() => void router.navigate({ to: "/inbox" })),
            "g r": letter(() => void router.navigate({ to: "/rooms" })),
            "g w": letter(() => void router.navigate({ to: "/workflows" })),
            "g s": letter(() => void router.navigate({ to: "/settings" })),
            a: letter(() => focusDecision("approve")),
            x: letter(() => focusDecision("reject")),
            n: letter(() => toUnread(1)),
            p: letter(() => toUnread(-1)),
        });
    }, [router]);
}
