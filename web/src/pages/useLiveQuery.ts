// SPDX-License-Identifier: Apache-2.0
// Asks again every few seconds while somebody looks: quickly with the window in front, not at all when hidden, and at
// once on return.
import { type QueryKey, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { untilNextLook } from "../ui/livePolling";

/** The socket may be without a connection for a while, or something may come of what it does not tell. */
const TOLD_SLOWER = 10;

export interface LiveOptions<Data> {
    queryKey: QueryKey;
    queryFn: () => Promise<Data>;
    /** Not asked again: what it shows no longer changes. */
    isOver?: (data: Data | undefined) => boolean;
    /** The socket says when it changes: it is asked again less often. */
    isTold?: boolean;
}

export function useLiveQuery<Data>({ queryKey, queryFn, isOver, isTold }: LiveOptions<Data>) {
    const query = useQuery({
        queryKey,
        queryFn,
        staleTime: 0,
        refetchInterval: ({ state }) => {
            if (isOver?.(state.data)) {
                return false;
            }
            return untilNextLook() * (isTold ? TOLD_SLOWER : 1);
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
