// SPDX-License-Identifier: Apache-2.0
// Lets a component follow a value that lives outside of React.
import { useSyncExternalStore } from "react";
import type { Readable } from "../store/observable";

export function useReadable<Value>(readable: Readable<Value>): Value {
    return useSyncExternalStore(readable.watch, readable.get);
}
