// SPDX-License-Identifier: Apache-2.0
// The requests about workflows and their executions, one function each.
import { answer, client } from "./client";
import type {
    ExecutionStatus,
    ExecutionTask,
    NewWorkflow,
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
