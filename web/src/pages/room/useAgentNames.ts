// SPDX-License-Identifier: Apache-2.0
// What the agents of a room are called: as their binding says, else as operators can see them registered.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { fetchChannels } from "../../api/calls";
import type { Me, RoomDetail } from "../../api/model";

const FRESH_MS = 5 * 60_000;

export function useAgentNames(detail: RoomDetail | undefined, me: Me): ReadonlyMap<string, string> {
    const agents = useMemo(
        () => (detail?.channels ?? []).filter(({ kind }) => kind === "intelligence"),
        [detail],
    );
    const isNamed = agents.every(({ metadata }) => typeof metadata.name === "string");
    const { data } = useQuery({
        queryKey: ["channels"],
        queryFn: fetchChannels,
        staleTime: FRESH_MS,
        enabled: me.user.role !== "member" && !isNamed,
    });
    return useMemo(() => {
        const registered = new Map((data ?? []).map(({ id, name }) => [id, name]));
        return new Map(
            agents.map(({ channel_id, metadata }): [string, string] => [
                channel_id,
                typeof metadata.name === "string"
                    ? metadata.name
                    : (registered.get(channel_id) ?? ""),
            ]),
        );
    }, [agents, data]);
}
