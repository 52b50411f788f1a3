// SPDX-License-Identifier: Apache-2.0
// Something asked of the server: busy until it answers, and its refusal where it refuses.
import { useState } from "react";
import { type Problem, problemOf } from "../api/problem";

export interface Action {
    isBusy: boolean;
    problem: Problem | undefined;
    /** Whether it was done. Asked once at a time. */
    run(act: () => Promise<unknown>): Promise<boolean>;
}

export function useAction(): Action {
    const [isBusy, setIsBusy] = useState(false);
    const [problem, setProblem] = useState<Problem>();
    return {
        isBusy,
        problem,
        run: async (act) => {
            if (isBusy) {
                return false;
            }
            setIsBusy(true);
            setProblem(undefined);
            try {
                await act();
                return true;
            } catch (thrown) {
                setProblem(problemOf(thrown));
                return false;
            } finally {
                setIsBusy(false);
            }
        },
    };
}

/** Why a field was refused, in the server's word for it. */
export function reasonAt(problem: Problem | undefined, field: string): string | undefined {
    return problem?.fields.find((each) => each.field === field)?.reason;
}
