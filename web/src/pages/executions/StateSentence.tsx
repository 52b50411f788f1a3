// SPDX-License-Identifier: Apache-2.0
// What an execution is at, in one sentence that names whoever is waited for, and since when.
import { useTranslations } from "use-intl";
import type { Approval } from "../../api/model";
import type { ExecutionState, StateKind } from "../../store/executionState";
import { useNow } from "../../ui/now";
import { useDuration } from "../../ui/useDuration";
import { useWhoIs } from "../workflows/useNames";
import styles from "./Executions.module.css";

const signs: Record<StateKind, { mark: string; tone: string }> = {
    waiting: { mark: "◔", tone: "warn" },
    resting: { mark: "❚❚", tone: "warn" },
    quarantined: { mark: "✕", tone: "bad" },
    working: { mark: "●", tone: "ok" },
    running: { mark: "●", tone: "ok" },
    queued: { mark: "○", tone: "quiet" },
    completed: { mark: "✓", tone: "ok" },
    failed: { mark: "✕", tone: "bad" },
    cancelled: { mark: "○", tone: "quiet" },
};

const ENDED = new Set<StateKind>(["completed", "failed", "cancelled"]);

/** In whole minutes: a sentence whose seconds ran would not be calm, and one whose seconds stand would lie. */
const MINUTE_MS = 60_000;

/** Who may answer, as far as it is known. */
export function useDeciders(): (question: Approval) => string {
    const t = useTranslations();
    const whoIs = useWhoIs();
    return ({ deciders }) => {
        const roles: Record<string, string> = {
            "role:admin": t("executions.admins"),
            "role:operator": t("executions.operators"),
            "role:member": t("executions.members"),
        };
        return deciders.length === 0
            ? t("executions.participants")
            : deciders.map((one) => roles[one] ?? whoIs(one)).join(t("executions.or"));
    };
}

/** The words without the time. */
export function useStateWords(): (state: ExecutionState) => string {
    const t = useTranslations("executions");
    const decidersOf = useDeciders();
    return (state) => {
        switch (state.kind) {
            case "waiting": {
                const { question } = state;
                const told = { title: question.title, who: decidersOf(question) };
                const said =
                    question.kind === "approval"
                        ? t("waitingApproval", told)
                        : t("waitingAnswer", told);
                return state.more > 0 ? `${said} ${t("more", { count: state.more })}` : said;
            }
            case "working":
                return t("working", { title: state.task.title });
            case "failed":
                return state.task
                    ? t("failedAt", { title: state.task.title })
                    : t("failedSomewhere");
            default:
                return t(`is_${state.kind}`);
        }
    };
}

export function StateSentence({ state }: { state: ExecutionState }) {
    const t = useTranslations("executions");
    const wordsOf = useStateWords();
    const duration = useDuration();
    // The clock ticks slowly, and what is looked at again meanwhile is younger than its last tick.
    const now = Math.max(useNow(), Date.now());
    const { mark, tone } = signs[state.kind];
    const minutes = Math.floor((now - Date.parse(state.since)) / MINUTE_MS);
    const time = duration(minutes * MINUTE_MS);
    return (
        <p className={styles.sentence} data-tone={tone} data-state={state.kind}>
            <span aria-hidden="true">{mark}</span>
            <span>
                <bdi>{wordsOf(state)}</bdi>{" "}
                <span className={styles.since}>
                    {minutes >= 1 && t(ENDED.has(state.kind) ? "ago" : "since", { time })}
                </span>
            </span>
        </p>
    );
}
