// SPDX-License-Identifier: Apache-2.0
// An item of a run that is watched, as its stream has it by now.
import type { RunItem, RunView } from "../../store/run";
import { useAgentView } from "./useAgentView";

type ItemOf<Kind extends RunItem["kind"]> = Extract<RunItem, { kind: Kind }>;

export function useRunItem<Kind extends RunItem["kind"]>(
    runId: string,
    id: string,
    kind: Kind,
): { item: ItemOf<Kind> | undefined; run: RunView | undefined } {
    const run = useAgentView()?.watched.find((each) => each.id === runId);
    const item = run?.items.find(
        (each): each is ItemOf<Kind> => each.kind === kind && each.id === id,
    );
    return { item, run };
}
