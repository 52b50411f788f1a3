// SPDX-License-Identifier: Apache-2.0
// One execution of the list: what it is at and for whom it waits, and at which step of how many.
import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import type { Approval, WorkflowExecution } from "../../api/model";
import { stateOf, stepOf } from "../../store/executionState";
import table from "../../ui/Table.module.css";
import { Time } from "../../ui/Time";
import { useWhoIs } from "../workflows/useNames";
import styles from "./Executions.module.css";
import { StateSentence } from "./StateSentence";
import { useExecutionTasks } from "./useExecution";

/** The steps of so many are asked for, each by itself: who has more of them running at once reads the first ones. */
const WITH_STEPS = 25;

export interface ExecutionRowProps {
    execution: WorkflowExecution;
    at: number;
    questions: readonly Approval[];
}

export function ExecutionRow({ execution, at, questions }: ExecutionRowProps) {
    const t = useTranslations("executions");
    const whoIs = useWhoIs();
    const isRunning = execution.status === "running";
    const isFailed = execution.status === "failed";
    const tasks = useExecutionTasks(
        execution.id,
        isRunning,
        at < WITH_STEPS && (isRunning || isFailed),
    );
    const known = tasks.data ?? [];
    const state = stateOf({ execution, tasks: known, questions });
    const { step, of } = stepOf(known);
    return (
        <tr>
            <td>
                <span className={table.words}>
                    <Link
                        to="/executions/$executionId"
                        params={{ executionId: execution.id }}
                        search={{}}
                        className={styles.named}
                    >
                        <bdi>{execution.name}</bdi>
                    </Link>
                    <span className={table.small}>
                        {execution.is_draft
                            ? t("draftTried")
                            : t("ofVersion", { number: execution.version })}
                    </span>
                </span>
            </td>
            <td data-label={t("state")}>
                <StateSentence state={state} />
            </td>
            <td data-label={t("step")} className={styles.step}>
                {isRunning && of > 0 ? t("stepOf", { step, of }) : "–"}
            </td>
            <td data-label={t("startedBy")}>
                <bdi className={styles.who}>{whoIs(execution.initiator)}</bdi>
            </td>
            <td data-label={t("started")}>
                <Time at={execution.created_at} as="distance" />
            </td>
        </tr>
    );
}
