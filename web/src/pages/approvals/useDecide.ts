// SPDX-License-Identifier: Apache-2.0
// Decides what an agent asks: nothing counts as decided before the server said so, and whoever was first is named.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { decideApproval } from "../../api/calls";
import type { Approval, ApprovalVerdict } from "../../api/model";
import type { Problem } from "../../api/problem";
import { APPROVALS } from "../../store/news";
import { useAction } from "../../ui/useAction";
import { approvalQuery } from "./useApprovals";

export interface Deciding {
    /** What the server was asked for and has not answered. */
    asked: ApprovalVerdict | undefined;
    problem: Problem | undefined;
    decide: (verdict: ApprovalVerdict, response?: unknown) => Promise<boolean>;
}

export function useDecide({ id }: Approval): Deciding {
    const queries = useQueryClient();
    const { isBusy, problem, run } = useAction();
    const [verdict, setVerdict] = useState<ApprovalVerdict>();
    return {
        asked: isBusy ? verdict : undefined,
        problem,
        decide: async (wanted, response) => {
            setVerdict(wanted);
            const isDone = await run(async () => {
                const decided = await decideApproval(id, wanted, response);
                queries.setQueryData(approvalQuery(id).queryKey, decided);
            });
            // Refused or not: what is shown may be old.
            void queries.invalidateQueries({ queryKey: [APPROVALS] });
            return isDone;
        },
    };
}
