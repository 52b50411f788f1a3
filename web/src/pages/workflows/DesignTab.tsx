// SPDX-License-Identifier: Apache-2.0
// The conversation in which the agent of a workflow makes and changes the draft.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTranslations } from "use-intl";
import { fetchRoom } from "../../api/calls";
import type { Workflow } from "../../api/model";
import { problemOf } from "../../api/problem";
import { Empty, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";

const SessionRoom = lazy(() => import("../tasks/SessionRoom"));

export function DesignTab({ workflow }: { workflow: Workflow }) {
    const t = useTranslations("workflows");
    const { room_id } = workflow;
    const room = useQuery({
        queryKey: ["room", room_id],
        queryFn: () => fetchRoom(room_id),
        enabled: room_id !== "",
    });
    if (room_id === "") {
        return (
            <Empty title={t("noDesign")}>
                <p>{t("noDesignHelp")}</p>
            </Empty>
        );
    }
    if (room.isError) {
        const problem = problemOf(room.error);
        return problem.status === 404 ? (
            <Empty title={t("designHidden")}>
                <p>{t("designHiddenHelp")}</p>
            </Empty>
        ) : (
            <ProblemNote problem={problem} onRetry={() => void room.refetch()} />
        );
    }
    return room.data ? (
        <Suspense fallback={<Skeleton />}>
            <SessionRoom
                roomId={room_id}
                agentRoute={{ kind: "workflow", id: workflow.id }}
                owner={workflow.created_by}
            />
        </Suspense>
    ) : (
        <Skeleton />
    );
}
