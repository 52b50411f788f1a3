// SPDX-License-Identifier: Apache-2.0
// Says what would be published, looked at just now, and how it differs from what is: then it becomes a version.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import type { Workflow } from "../../api/model";
import { problemOf } from "../../api/problem";
import { fetchWorkflow, publishWorkflow } from "../../api/workflows";
import { diffTasks } from "../../store/taskDiff";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { showToast } from "../../ui/toast";
import { useAction } from "../../ui/useAction";
import { ChangeLine } from "./TaskChanges";
import { useVersions } from "./useWorkflow";
import styles from "./Workflows.module.css";

export function PublishDialog({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
    const t = useTranslations();
    const queries = useQueryClient();
    const { isBusy, problem, run } = useAction();
    const look = useQuery({
        queryKey: ["workflow", workflow.id, "to publish"],
        queryFn: () => fetchWorkflow(workflow.id),
        staleTime: 0,
    });
    const draft = look.isFetchedAfterMount ? look.data : undefined;
    const versions = useVersions(workflow.id, workflow.published_version);
    const before = versions.data?.[0];
    const changes = draft && before ? diffTasks(before.tasks, draft.tasks) : [];

    async function publish(): Promise<void> {
        const done = await run(async () => {
            const version = await publishWorkflow(workflow.id);
            await queries.invalidateQueries({ queryKey: ["workflow", workflow.id] });
            void queries.invalidateQueries({ queryKey: ["workflows"] });
            showToast({ text: t("workflows.published_now", { number: version.number }) });
        });
        if (done) {
            onClose();
        }
    }

    return (
        <Dialog title={t("workflows.publishTitle", { name: workflow.name })} onClose={onClose}>
            {(look.isFetching || versions.isPending) && !draft && <Skeleton rows={3} />}
            {look.isError && (
                <ProblemNote problem={problemOf(look.error)} onRetry={() => void look.refetch()} />
            )}
            {draft && (
                <>
                    <p>{t("workflows.publishText", { count: draft.tasks.length })}</p>
                    {draft.agent === "" && <p>{t("workflows.publishNoAgent")}</p>}
                    <ul className={styles.changes}>
                        {before === undefined &&
                            draft.tasks.map((task) => (
                                <li key={task.key}>
                                    <bdi>{task.title}</bdi>
                                </li>
                            ))}
                        {changes.map((change) => (
                            <li key={`${change.kind} ${change.key}`}>
                                <ChangeLine change={change} />
                            </li>
                        ))}
                        {before !== undefined && changes.length === 0 && (
                            <li>{t("workflows.tasksSame", { number: before.number })}</li>
                        )}
                    </ul>
                </>
            )}
            {problem && <ProblemNote problem={problem} />}
            <DialogActions>
                <Button onPress={onClose}>{t("dialog.cancel")}</Button>
                <Button look="filled" isDisabled={isBusy || !draft} onPress={() => void publish()}>
                    {t("workflows.publish")}
                </Button>
            </DialogActions>
        </Dialog>
    );
}
