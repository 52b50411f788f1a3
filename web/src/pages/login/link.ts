// SPDX-License-Identifier: Apache-2.0
// The links that let people in, and what a password needs.

export const SHORTEST_PASSWORD = 10;

/** The secret of a link is in its fragment, which never leaves the browser: no log gets to see it. */
export function linkTokenOf(link: string): string {
    const hash = link.slice(link.indexOf("#") + 1);
    return new URLSearchParams(link.includes("#") ? hash : "").get("link") ?? "";
}

/** Links are relative where the server does not know its own address. */
export function fullLink(link: string): string {
    return new URL(link, location.origin).href;
}
