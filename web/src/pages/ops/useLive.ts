// SPDX-License-Identifier: Apache-2.0
// What operators look at, asked again while they do.
import { useLiveQuery } from "../useLiveQuery";

export function useLive<Data>(name: string, fetch: () => Promise<Data>) {
    return useLiveQuery({ queryKey: ["ops", name], queryFn: fetch });
}
