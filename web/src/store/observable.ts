// SPDX-License-Identifier: Apache-2.0
// A value that can be watched: the little that React and plain code need to share state.

export interface Readable<Value> {
    get(): Value;
    watch(listener: () => void): () => void;
}

export class Observable<Value> implements Readable<Value> {
    private readonly listeners = new Set<() => void>();
    private value: Value;

    constructor(value: Value) {
        this.value = value;
    }

    // Arrow functions, because React is handed them without their object.
    get = (): Value => this.value;

    watch = (listener: () => void): (() => void) => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
    };

    set(value: Value): void {
        if (!Object.is(this.value, value)) {
            this.value = value;
            for (const listener of [...this.listeners]) {
                listener();
            }
        }
    }

    update(change: (value: Value) => Value): void {
        this.set(change(this.value));
    }
}
