// SPDX-License-Identifier: Apache-2.0
// The page of one question of an agent, where links in mail lead.
import { getRouteApi } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import type { Approval } from "../../api/model";
import { problemOf } from "../../api/problem";
import { withoutTurns } from "../../store/exactText";
import { CopyId } from "../../ui/CopyId";
import { Empty, Page, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { Time } from "../../ui/Time";
import { usePageTitle } from "../shell/usePageTitle";
import { useLiveQuery } from "../useLiveQuery";
import { ApprovalCard } from "./ApprovalCard";
import styles from "./ApprovalPage.module.css";
import { useApprovalPeople } from "./useApprovalPeople";
import { approvalQuery } from "./useApprovals";

const route = getRouteApi("/shell/approvals/$approvalId");

function isDecided(asked: Approval | undefined): boolean {
    return asked !== undefined && asked.status !== "pending";
}

/** What whoever decides, or looks into it later, may want to know besides. */
function Particulars({ asked }: { asked: Approval }) {
    const t = useTranslations("approvals");
    const people = useApprovalPeople(asked);
    return (
        <dl className={styles.particulars}>
            <div>
                <dt>{t("deciders")}</dt>
                <dd>{people.deciders}</dd>
            </div>
            <div>
                <dt>{t("since")}</dt>
                <dd>
                    <Time at={asked.created_at} as="moment" />
                </dd>
            </div>
            <div>
                <dt>{t("until")}</dt>
                <dd>
                    <Time at={asked.expires_at} as="moment" />
                </dd>
            </div>
            <div>
                <dt>{t("run")}</dt>
                <dd>
                    <CopyId id={asked.run_id} label={t("copyRun")} />
                </dd>
            </div>
        </dl>
    );
}

export function ApprovalPage() {
    const { approvalId } = route.useParams();
    return <OneApproval key={approvalId} approvalId={approvalId} />;
}

function OneApproval({ approvalId }: { approvalId: string }) {
    const t = useTranslations("approvals");
    const query = useLiveQuery({ ...approvalQuery(approvalId), isOver: isDecided });
    const asked = query.data;
    const heading = asked?.kind === "input" ? t("question") : t("approval");
    usePageTitle(asked ? withoutTurns(asked.title) : heading);
    const problem = query.error ? problemOf(query.error) : undefined;
    const isMissing = problem?.status === 404 || problem?.status === 422;
    return (
        <Page title={heading}>
            {isMissing && (
                <Empty title={t("gone")}>
                    <p>{t("goneHelp")}</p>
                </Empty>
            )}
            {problem && !isMissing && (
                <ProblemNote problem={problem} onRetry={() => void query.refetch()} />
            )}
            {query.isPending && <Skeleton rows={3} />}
            {asked && !isMissing && (
                <>
                    <ApprovalCard asked={asked} place="page" isFirst />
                    <Particulars asked={asked} />
                </>
            )}
        </Page>
    );
}
