// SPDX-License-Identifier: Apache-2.0
// Small things that a browser remembers: a preference, a draft. A browser that forbids it forgets.

export function recall(key: string): string | undefined {
    try {
        return localStorage.getItem(key) ?? undefined;
    } catch {
        return undefined;
    }
}

export function remember(key: string, value: string): void {
    try {
        if (value === "") {
            localStorage.removeItem(key);
        } else {
            localStorage.setItem(key, value);
        }
    } catch {
        // Nothing is lost but the memory of it.
    }
}
