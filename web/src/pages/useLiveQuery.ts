// SPDX-License-Identifier: Apache-2.0
// Asks again every few seconds while somebody looks: quickly with the window in front, not at all when hidden, and at
// once on return.
import { type QueryKey, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

const FOCUSED_MS = 2_000;
const BESIDE_MS = 10_000;

export interface LiveOptions<Data> {
    queryKey: QueryKey;
    queryFn: () => Promise<Data>;
    /** Not asked again: what it shows no longer changes. */
    isOver?: (data: Data | undefined) => boolean;
}

export function useLiveQuery<Data>({ queryKey, queryFn, isOver }: LiveOptions<Data>) {
    const query = useQuery({
        queryKey,
        queryFn,
        staleTime: 0,
        refetchInterval: ({ state }) => {
            if (isOver?.(state.data)) {
                return false;
            }
            return document.hasFocus() ? FOCUSED_MS : BESIDE_MS;
        },
        refetchIntervalInBackground: false,
        refetchOnWindowFocus: "always",
    });
    const { refetch, data } = query;
    const isDone = isOver?.(data) ?? false;
    useEffect(() => {
        if (isDone) {
            return;
        }
        // A window that was beside another one was visible all the time: only its focus tells of the return.
        const look = () => void refetch({ cancelRefetch: false });
        window.addEventListener("focus", look);
        return () => window.removeEventListener("focus", look);
    }, [refetch, isDone]);
    return query;
}
