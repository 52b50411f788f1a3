// SPDX-License-Identifier: Apache-2.0
// A call of a tool on one line: what, how it stands, how long. It opens to what went in and what came out.
import { Wrench } from "lucide-react";
import { useTranslations } from "use-intl";
import { type CallLine, callLine, type RunRow, storedCallLine } from "../../store/runRows";
import { AgentFrame } from "./AgentFrame";
import styles from "./AgentRow.module.css";
import { DataView } from "./DataView";
import { Fold } from "./Fold";
import { useDuration } from "./useDuration";
import { useRunItem } from "./useRunItem";

const WORDS = {
    asked: "asked",
    running: "running",
    done: "done",
    failed: "callFailed",
    stopped: "unfinished",
} as const;

type Row = RunRow & { kind: "call" };

function useCall({ key, from }: Row): CallLine | undefined {
    const { item, run } = useRunItem("run" in from ? from.run : "", key, "call");
    if (!("run" in from)) {
        return storedCallLine(from);
    }
    return item && run && callLine(item, run);
}

export function CallRow({ row }: { row: Row }) {
    const t = useTranslations("agent");
    const call = useCall(row);
    const isOn = call?.state === "running";
    const duration = useDuration(call?.durationMs, isOn ? call.since : undefined);
    if (!call) {
        return null;
    }
    return (
        <AgentFrame isContinued={row.isContinued}>
            <div data-call={call.state}>
                <Fold
                    id={row.key}
                    line={
                        <>
                            <Wrench size={16} strokeWidth={1.75} aria-hidden="true" />
                            <span className={styles.title}>{call.name.replaceAll("_", " ")}</span>{" "}
                            <span className={styles.meta} data-state={call.state}>
                                {t(WORDS[call.state])}
                                {duration && ` · ${duration}`}
                            </span>
                        </>
                    }
                >
                    <DataView title={t("arguments")} text={call.args} />
                    {call.result !== undefined && (
                        <DataView title={t("result")} text={call.result} />
                    )}
                </Fold>
            </div>
        </AgentFrame>
    );
}
