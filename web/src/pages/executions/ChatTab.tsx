// SPDX-License-Identifier: Apache-2.0
// The conversation of an execution: its room has the same id.
import { lazy, Suspense } from "react";
import type { WorkflowExecution } from "../../api/model";
import { Skeleton } from "../../ui/Page";

const SessionRoom = lazy(() => import("../tasks/SessionRoom"));

export function ChatTab({ execution }: { execution: WorkflowExecution }) {
    return (
        <Suspense fallback={<Skeleton />}>
            <SessionRoom
                roomId={execution.id}
                agentRoute={{ kind: "execution", id: execution.id }}
                owner={execution.initiator}
            />
        </Suspense>
    );
}
