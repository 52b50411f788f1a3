// SPDX-License-Identifier: Apache-2.0
// Why what was asked of a row was refused, below that row.
import type { Problem } from "../api/problem";
import { ProblemNote } from "./ProblemNote";

export function RowProblem({ problem, columns }: { problem: Problem; columns: number }) {
    return (
        <tr>
            <td colSpan={columns}>
                <ProblemNote problem={problem} />
            </td>
        </tr>
    );
}
