// SPDX-License-Identifier: Apache-2.0
// Asks again every few seconds while somebody looks: quickly with the window in front, not at all when hidden.
import { useQuery } from "@tanstack/react-query";

const FOCUSED_MS = 2_000;
const BESIDE_MS = 10_000;

export function useLive<Data>(name: string, fetch: () => Promise<Data>) {
    return useQuery({
        queryKey: ["ops", name],
        queryFn: fetch,
        staleTime: 0,
        refetchInterval: () => (document.hasFocus() ? FOCUSED_MS : BESIDE_MS),
        refetchIntervalInBackground: false,
        refetchOnWindowFocus: "always",
    });
}
