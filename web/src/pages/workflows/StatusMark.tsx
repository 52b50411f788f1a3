// SPDX-License-Identifier: Apache-2.0
// What a workflow is at, by sign, word and colour; and why its agent made nothing of it.
import { useTranslations } from "use-intl";
import type { Workflow } from "../../api/model";
import table from "../../ui/Table.module.css";

const signs: Record<Workflow["status"], { mark: string; tone: string }> = {
    generating: { mark: "◔", tone: "warn" },
    draft: { mark: "○", tone: "quiet" },
    failed: { mark: "✕", tone: "bad" },
    published: { mark: "●", tone: "ok" },
    modified: { mark: "◐", tone: "warn" },
};

export function StatusMark({ status }: { status: Workflow["status"] }) {
    const t = useTranslations("workflows");
    return (
        <span className={table.state} data-tone={signs[status].tone}>
            <span aria-hidden="true">{signs[status].mark}</span> {t(status)}
        </span>
    );
}

/** Words of the server that have a sentence of ours. */
const KNOWN = [
    "no_tasks",
    "model_unavailable",
    "model_overloaded",
    "model_refused",
    "answer_cut_off",
    "timed_out",
    "tool_limit",
] as const;

export function useFailure(): (word: string) => string {
    const t = useTranslations("workflows");
    return (word) => {
        const known = KNOWN.find((one) => one === word);
        return known ? t(known) : t("failedBy", { reason: word });
    };
}
