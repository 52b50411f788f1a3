// SPDX-License-Identifier: Apache-2.0
// Ends the run that goes on, by button or by key. What came of it is shown when the server says so.
import { useEffect, useRef } from "react";
import { tinykeys } from "tinykeys";
import { useTranslations } from "use-intl";
import { problemOf } from "../../api/problem";
import { showToast } from "../../ui/toast";
import { useOpenRoom } from "./RoomContext";
import { useActiveRun } from "./useAgentView";

export function useStop() {
    const t = useTranslations("problem");
    const { agent } = useOpenRoom();
    const active = useActiveRun();
    const isStopping = active?.isStopping ?? false;
    async function stop(): Promise<void> {
        try {
            await agent?.stop();
        } catch (thrown) {
            showToast({ text: t(problemOf(thrown).sentence) });
        }
    }
    return { isRunning: active !== undefined, isStopping, stop };
}

/** Ctrl or Cmd+. in the whole of the page. */
export function useStopKey(stop: (() => void) | undefined): void {
    const newest = useRef(stop);
    newest.current = stop;
    useEffect(
        () =>
            tinykeys(window, {
                "$mod+.": (key) => {
                    if (newest.current) {
                        key.preventDefault();
                        newest.current();
                    }
                },
            }),
        [],
    );
}
