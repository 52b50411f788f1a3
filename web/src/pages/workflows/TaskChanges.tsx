// SPDX-License-Identifier: Apache-2.0
// How two lists of tasks differ: in a line each, or with every field as it was and as it is.
import { useTranslations } from "use-intl";
import type { TaskTemplate } from "../../api/model";
import { diffTasks, isReordered, type TaskChange } from "../../store/taskDiff";
import styles from "./TaskChanges.module.css";

const signs = { added: "+", removed: "−", changed: "~" } as const;

export function ChangeLine({ change }: { change: TaskChange }) {
    const t = useTranslations("workflows");
    return (
        <>
            {t(`diff_${change.kind}`)}: <bdi>{change.title}</bdi>{" "}
            <code className={styles.key}>{change.key}</code>
        </>
    );
}

export interface TaskChangesProps {
    before: readonly TaskTemplate[];
    after: readonly TaskTemplate[];
    /** What is said when nothing differs. */
    same: string;
}

export function TaskChanges({ before, after, same }: TaskChangesProps) {
    const t = useTranslations("workflows");
    const changes = diffTasks(before, after);
    const moved = isReordered(before, after);
    if (changes.length === 0 && !moved) {
        return <p className={styles.same}>{same}</p>;
    }
    return (
        <>
            {moved && <p className={styles.same}>{t("reordered")}</p>}
            <ul className={styles.changes}>
                {changes.map((change) => (
                    <li key={`${change.kind} ${change.key}`} data-kind={change.kind}>
                        <p className={styles.head}>
                            <span aria-hidden="true" className={styles.sign}>
                                {signs[change.kind]}
                            </span>
                            <span>
                                <ChangeLine change={change} />
                            </span>
                        </p>
                        {change.fields.length > 0 && (
                            <dl className={styles.fields}>
                                {change.fields.map(({ field, before: was, after: is }) => (
                                    <div key={field}>
                                        <dt>{t(`field_${field}`)}</dt>
                                        <dd>
                                            <del>
                                                <span className="hidden-visually">{t("was")} </span>
                                                <bdi>{was || t("nothing")}</bdi>
                                            </del>
                                            <ins>
                                                <span className="hidden-visually">{t("is")} </span>
                                                <bdi>{is || t("nothing")}</bdi>
                                            </ins>
                                        </dd>
                                    </div>
                                ))}
                            </dl>
                        )}
                    </li>
                ))}
            </ul>
        </>
    );
}
