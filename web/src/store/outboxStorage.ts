// SPDX-License-Identifier: Apache-2.0
// The outbox in the browser's own database, one per person, so that a reload loses nothing.
import type { OutboxEntry, OutboxStorage } from "./outbox";

const STORE = "entries";

function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

function open(userId: string): Promise<IDBDatabase> {
    const request = indexedDB.open(`convene-outbox-${userId}`, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "key" });
    return settled(request);
}

export function outboxStorage(userId: string): OutboxStorage {
    // Opened at the first use: a browser that forbids it only loses what a reload would need.
    let database: Promise<IDBDatabase> | undefined;
    async function store(mode: IDBTransactionMode): Promise<IDBObjectStore> {
        database ??= open(userId);
        return (await database).transaction(STORE, mode).objectStore(STORE);
    }
    return {
        async load() {
            const entries = await settled<OutboxEntry[]>((await store("readonly")).getAll());
            return entries;
        },
        async put({ problem: _, ...entry }) {
            // Whatever its state was: after a reload it is sent again, and the key sees to the rest.
            const kept: OutboxEntry = { ...entry, state: "waiting" };
            await settled((await store("readwrite")).put(kept));
        },
        async remove(key) {
            await settled((await store("readwrite")).delete(key));
        },
    };
}
