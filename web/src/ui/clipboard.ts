// SPDX-License-Identifier: Apache-2.0
// Puts a text into the clipboard; pages without a secure origin can't, and then nothing happens.

export async function copyText(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return false;
    }
}
