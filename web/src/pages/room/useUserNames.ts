// SPDX-License-Identifier: Apache-2.0
// The names of the organisation's people, for those who may know them all; everybody knows the own one.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { fetchUsers } from "../../api/calls";
import type { Me } from "../../api/model";

const FRESH_MS = 5 * 60_000;

export function useUserNames(me: Me): ReadonlyMap<string, string> {
    const { data } = useQuery({
        queryKey: ["users"],
        queryFn: fetchUsers,
        staleTime: FRESH_MS,
        enabled: me.user.role !== "member",
    });
    return useMemo(
        () =>
            new Map([
                ...(data ?? []).map((user): [string, string] => [user.id, user.display_name]),
                [me.user.id, me.user.display_name],
            ]),
        [data, me],
    );
}
