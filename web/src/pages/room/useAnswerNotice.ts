// SPDX-License-Identifier: Apache-2.0
// Says to screen readers that an answer is complete, with how it begins: never its words one by one.
import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import type { RunItem } from "../../store/run";
import { announce } from "../../ui/announce";
import { useOpenRoom } from "./RoomContext";
import { useAgentView } from "./useAgentView";

const MOST_LETTERS = 200;

export function firstSentence(text: string): string {
    const line = text
        .replace(/[#>*_`~]+/g, "")
        .replace(/\s+/g, " ")
        .trim();
    const sentence = /^.*?(?:[.!?](?=\s|$)|[。！？])/.exec(line)?.[0] ?? line;
    return [...sentence].slice(0, MOST_LETTERS).join("");
}

function isSpoken(item: RunItem) {
    return item.kind === "text" && item.text.trim() !== "";
}

export function useAnswerNotice(): void {
    const t = useTranslations("agent");
    const { agentName } = useOpenRoom();
    const run = useAgentView()?.watched.at(-1);
    const going = useRef<string>(undefined);
    const type = run?.outcome?.type;
    useEffect(() => {
        if (!run || run.isPast) {
            return;
        }
        if (type === undefined) {
            going.current = run.id;
        } else if (going.current === run.id) {
            going.current = undefined;
            const said = run.items.find(isSpoken);
            const begins = said?.kind === "text" ? firstSentence(said.text) : "";
            announce(t(`${type}Notice`, { name: agentName, text: begins }));
        }
    });
}
