// SPDX-License-Identifier: Apache-2.0
// As of when a table is, and its refusal where the server gave one.
import type { UseQueryResult } from "@tanstack/react-query";
import { useFormatter, useTranslations } from "use-intl";
import { problemOf } from "../../api/problem";
import { Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { useZone } from "../../ui/Time";
import styles from "./Ops.module.css";

export function LiveState({ query }: { query: UseQueryResult<unknown> }) {
    const t = useTranslations("ops");
    const format = useFormatter();
    const timeZone = useZone();
    if (query.isPending) {
        return <Skeleton rows={2} />;
    }
    const time = format.dateTime(new Date(query.dataUpdatedAt), { timeStyle: "medium", timeZone });
    return (
        <>
            {query.isError && (
                <ProblemNote
                    problem={problemOf(query.error)}
                    onRetry={() => void query.refetch()}
                />
            )}
            {query.dataUpdatedAt > 0 && <p className={styles.asOf}>{t("asOf", { time })}</p>}
        </>
    );
}
