// SPDX-License-Identifier: Apache-2.0
// Which lines of a room are unfolded: they stay so while they are out of sight.
import { Observable, type Readable } from "./observable";

export class Folds {
    private readonly state = new Observable<ReadonlySet<string>>(new Set());

    get unfolded(): Readable<ReadonlySet<string>> {
        return this.state;
    }

    toggle(id: string): void {
        this.state.update((held) => {
            const next = new Set(held);
            if (!next.delete(id)) {
                next.add(id);
            }
            return next;
        });
    }
}
