// SPDX-License-Identifier: Apache-2.0
// The requests about workflows and their executions, one function each.
import { answer, client } from "./client";
import type {
    Approval,
    ExecutionStatus,
    ExecutionTask,
    NewWorkflow,
    RoomAgentSession,
    ToolInvocation,
    Workflow,
    WorkflowExecution,
    WorkflowPatch,
    WorkflowVersion,
} from "./model";

/** A page of something, and where it goes on. */
export interface Paged<Item> {
    items: Item[];
    next: string | undefined;
}

export async function fetchWorkflows(cursor: string | undefined): Promise<Paged<Workflow>> {
    const { workflows, next_cursor } = await answer(
        client.GET("/api/v1/workflows", { params: { query: { limit: 100, cursor } } }),
    );
    return { items: workflows, next: next_cursor ?? undefined };
}

/** The same key again is the same workflow. */
export function createWorkflow(workflow: NewWorkflow, key: string): Promise<Workflow> {
    return answer(
        client.POST("/api/v1/workflows", {
            params: { header: { "Idempotency-Key": key } },
            body: workflow,
        }),
    );
}

export function fetchWorkflow(workflowId: string): Promise<Workflow> {
    return answer(
        client.GET("/api/v1/workflows/{workflow_id}", {
            params: { path: { workflow_id: workflowId } },
        }),
    );
}

/** With a `revision` only if nobody else changed it since. */
export function changeWorkflow(workflowId: string, change: WorkflowPatch): Promise<Workflow> {
    return answer(
        client.PATCH("/api/v1/workflows/{workflow_id}", {
            params: { path: { workflow_id: workflowId } },
            body: change,
        }),
    );
}

export function deleteWorkflow(workflowId: string): Promise<unknown> {
    return answer(
        client.DELETE("/api/v1/workflows/{workflow_id}", {
            params: { path: { workflow_id: workflowId } },
        }),
    );
}

export function publishWorkflow(workflowId: string): Promise<WorkflowVersion> {
    return answer(
        client.POST("/api/v1/workflows/{workflow_id}/publish", {
            params: { path: { workflow_id: workflowId } },
        }),
    );
}

/** The newest versions: a workflow with more of them has a history that nobody reads in a list. */
export async function fetchVersions(workflowId: string): Promise<WorkflowVersion[]> {
    const { versions } = await answer(
        client.GET("/api/v1/workflows/{workflow_id}/versions", {
            params: { path: { workflow_id: workflowId }, query: { limit: 100 } },
        }),
    );
    return versions;
}

/** Starts what is published, or tries the draft; the same key again is the same execution. */
export function executeWorkflow(
    workflowId: string,
    form: "published" | "draft",
    key: string,
): Promise<WorkflowExecution> {
    return answer(
        client.POST("/api/v1/workflows/{workflow_id}/execute", {
            params: { path: { workflow_id: workflowId }, header: { "Idempotency-Key": key } },
            body: { draft: form === "draft" },
        }),
    );
}

export interface ExecutionFilter {
    status?: ExecutionStatus;
    workflow?: string;
}

export async function fetchExecutions(
    filter: ExecutionFilter,
    cursor: string | undefined,
    limit = 50,
): Promise<Paged<WorkflowExecution>> {
    const { status, workflow } = filter;
    const { executions, next_cursor } = await answer(
        client.GET("/api/v1/workflow-executions", {
            params: { query: { status, workflow_id: workflow, cursor, limit } },
        }),
    );
    return { items: executions, next: next_cursor ?? undefined };
}

export function fetchExecution(executionId: string): Promise<WorkflowExecution> {
    return answer(
        client.GET("/api/v1/workflow-executions/{execution_id}", {
            params: { path: { execution_id: executionId } },
        }),
    );
}

export function cancelExecution(executionId: string): Promise<WorkflowExecution> {
    return answer(
        client.POST("/api/v1/workflow-executions/{execution_id}/cancel", {
            params: { path: { execution_id: executionId } },
        }),
    );
}

/** Ends it if it runs, and removes it with its room. */
export function deleteExecution(executionId: string): Promise<unknown> {
    return answer(
        client.DELETE("/api/v1/workflow-executions/{execution_id}", {
            params: { path: { execution_id: executionId } },
        }),
    );
}

export async function fetchExecutionTasks(executionId: string): Promise<ExecutionTask[]> {
    const { tasks } = await answer(
        client.GET("/api/v1/workflow-executions/{execution_id}/tasks", {
            params: { path: { execution_id: executionId } },
        }),
    );
    return tasks;
}

export async function fetchToolInvocations(
    executionId: string,
    cursor: string | undefined,
): Promise<Paged<ToolInvocation>> {
    const { invocations, next_cursor } = await answer(
        client.GET("/api/v1/workflow-executions/{execution_id}/tool-invocations", {
            params: { path: { execution_id: executionId }, query: { limit: 50, cursor } },
        }),
    );
    return { items: invocations, next: next_cursor ?? undefined };
}

/** What the agent of a room is doing, and what it asks. */
export function fetchRoomAgentSession(roomId: string): Promise<RoomAgentSession> {
    return answer(
        client.GET("/api/v1/rooms/{room_id}/session", { params: { path: { room_id: roomId } } }),
    );
}

const APPROVALS_OF_PAGE = 200;
/** Whoever has more open questions than this does not look for them in a list of executions. */
const APPROVAL_PAGES = 5;

/** What agents ask and nobody answered yet, in all rooms that one sees. */
export async function fetchOpenApprovals(): Promise<Approval[]> {
    const open: Approval[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < APPROVAL_PAGES; pages += 1) {
        const page = await answer(
            client.GET("/api/v1/approvals", {
                params: { query: { status: "pending", limit: APPROVALS_OF_PAGE, cursor } },
            }),
        );
        open.push(...page.approvals);
        if (page.next_cursor === null) {
            break;
        }
        cursor = page.next_cursor;
    }
    return open;
}

/** What a workflow can name: whoever makes one chooses among these. */
export interface Choosable {
    id: string;
    name: string;
}

export async function fetchAgents(): Promise<Choosable[]> {
    const { channels } = await answer(client.GET("/api/v1/channels"));
    return channels.filter((channel) => channel.type === "agent");
}

export async function fetchSkills(): Promise<Choosable[]> {
    return (await answer(client.GET("/api/v1/skills"))).skills;
}
