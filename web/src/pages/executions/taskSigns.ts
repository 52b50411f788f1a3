// SPDX-License-Identifier: Apache-2.0
// What the tasks of an execution are at: by shape and word, and by colour besides.
import type { ExecutionTask } from "../../api/model";

export const taskSigns: Record<ExecutionTask["status"], { mark: string; tone: string }> = {
    pending: { mark: "○", tone: "quiet" },
    in_progress: { mark: "◐", tone: "warn" },
    completed: { mark: "✓", tone: "ok" },
    failed: { mark: "✕", tone: "bad" },
    skipped: { mark: "–", tone: "quiet" },
};
