// SPDX-License-Identifier: Apache-2.0
// The addresses of the page. Whatever can be pasted to a colleague is in them.
import type { QueryClient } from "@tanstack/react-query";
import {
    createRootRouteWithContext,
    createRoute,
    createRouter,
    lazyRouteComponent,
    Outlet,
    redirect,
} from "@tanstack/react-router";
import { fetchMe } from "../api/auth";
import type { ExecutionStatus, Me } from "../api/model";
import { Problem } from "../api/problem";
import { BrokenPage, MissingPage } from "./Fallbacks";

interface Context {
    queries: QueryClient;
}

export function meQuery() {
    return { queryKey: ["me"], queryFn: fetchMe, staleTime: Number.POSITIVE_INFINITY };
}

const root = createRootRouteWithContext<Context>()({
    component: Outlet,
    notFoundComponent: MissingPage,
    errorComponent: BrokenPage,
});

const login = createRoute({
    getParentRoute: () => root,
    path: "/login",
    validateSearch: (search: Record<string, unknown>): { to?: string } =>
        // Only addresses of our own: a link must not lead out of the page after a login.
        typeof search.to === "string" && /^\/(?![/\\])/.test(search.to) ? { to: search.to } : {},
    component: lazyRouteComponent(() => import("./login/LoginPage"), "LoginPage"),
});

/** Everything behind the login. */
const shell = createRoute({
    getParentRoute: () => root,
    id: "shell",
    beforeLoad: async ({ context, location }): Promise<{ me: Me }> => {
        try {
            return { me: await context.queries.ensureQueryData(meQuery()) };
        } catch (thrown) {
            if (thrown instanceof Problem && thrown.status === 401) {
                const to = location.href === "/" ? undefined : location.href;
                throw redirect({ to: "/login", search: { to }, replace: true });
            }
            throw thrown;
        }
    },
    component: lazyRouteComponent(() => import("./shell/Shell"), "Shell"),
});

const home = createRoute({
    getParentRoute: () => shell,
    path: "/",
    beforeLoad: () => {
        throw redirect({ to: "/rooms", replace: true });
    },
});

export interface RoomsSearch {
    show?: "unread";
}

const rooms = createRoute({
    getParentRoute: () => shell,
    path: "/rooms",
    validateSearch: (search: Record<string, unknown>): RoomsSearch =>
        search.show === "unread" ? { show: "unread" } : {},
    component: lazyRouteComponent(() => import("./rooms/RoomsPage"), "RoomsPage"),
});

const noRoom = createRoute({
    getParentRoute: () => rooms,
    path: "/",
    component: lazyRouteComponent(() => import("./rooms/NoRoom"), "NoRoom"),
});

export interface RoomSearch {
    at?: number;
    thread?: string;
    panel?: "people";
}

/** What the address of every page keeps in which a room stands. */
function roomSearch(search: Record<string, unknown>): RoomSearch {
    return {
        ...(Number.isInteger(search.at) && { at: search.at as number }),
        ...(typeof search.thread === "string" && { thread: search.thread }),
        ...(search.panel === "people" && { panel: "people" as const }),
    };
}

const room = createRoute({
    getParentRoute: () => rooms,
    path: "$roomId",
    validateSearch: roomSearch,
    component: lazyRouteComponent(() => import("./room/RoomPage"), "RoomPage"),
});

const inbox = createRoute({
    getParentRoute: () => shell,
    path: "/inbox",
    component: lazyRouteComponent(() => import("./inbox/InboxPage"), "InboxPage"),
});

const approval = createRoute({
    getParentRoute: () => shell,
    path: "/approvals/$approvalId",
    component: lazyRouteComponent(() => import("./approvals/ApprovalPage"), "ApprovalPage"),
});

const settings = createRoute({
    getParentRoute: () => shell,
    path: "/settings",
    component: lazyRouteComponent(() => import("./settings/SettingsPage"), "SettingsPage"),
});

/** So has what operators and admins see. */
const operate = createRoute({
    getParentRoute: () => shell,
    id: "operate",
    component: lazyRouteComponent(() => import("./shell/AreaWords"), "OperateWords"),
});

const ops = createRoute({
    getParentRoute: () => operate,
    path: "/ops",
    component: lazyRouteComponent(() => import("./ops/OpsPage"), "OpsPage"),
});

const admin = createRoute({
    getParentRoute: () => shell,
    path: "/admin",
    beforeLoad: () => {
        throw redirect({ to: "/admin/users", replace: true });
    },
});

const users = createRoute({
    getParentRoute: () => operate,
    path: "/admin/users",
    component: lazyRouteComponent(() => import("./admin/UsersPage"), "UsersPage"),
});

const tokens = createRoute({
    getParentRoute: () => operate,
    path: "/admin/tokens",
    component: lazyRouteComponent(() => import("./admin/TokensPage"), "TokensPage"),
});

const secrets = createRoute({
    getParentRoute: () => operate,
    path: "/admin/secrets",
    component: lazyRouteComponent(() => import("./admin/SecretsPage"), "SecretsPage"),
});

const audit = createRoute({
    getParentRoute: () => operate,
    path: "/admin/audit",
    component: lazyRouteComponent(() => import("./admin/AuditPage"), "AuditPage"),
});

/** One of a few words, if it is. */
function wordOf<Word extends string>(words: readonly Word[], given: unknown): Word | undefined {
    return words.find((word) => word === given);
}

/** Workflows and executions have words of their own, which come with them. */
const work = createRoute({
    getParentRoute: () => shell,
    id: "work",
    component: lazyRouteComponent(() => import("./shell/AreaWords"), "WorkWords"),
});

const workflows = createRoute({
    getParentRoute: () => work,
    path: "/workflows",
    component: lazyRouteComponent(() => import("./workflows/WorkflowsPage"), "WorkflowsPage"),
});

export const WORKFLOW_TABS = ["tasks", "versions", "design"] as const;

export interface WorkflowSearch extends RoomSearch {
    tab?: (typeof WORKFLOW_TABS)[number];
    /** The task that is looked at, by its key. */
    task?: string;
    /** The version that the draft is compared with. */
    version?: number;
}

const workflow = createRoute({
    getParentRoute: () => work,
    path: "/workflows/$workflowId",
    validateSearch: (search: Record<string, unknown>): WorkflowSearch => ({
        ...roomSearch(search),
        tab: wordOf(WORKFLOW_TABS, search.tab),
        ...(search.task !== undefined && { task: String(search.task) }),
        ...(Number.isInteger(search.version) && { version: search.version as number }),
    }),
    component: lazyRouteComponent(() => import("./workflows/WorkflowPage"), "WorkflowPage"),
});

export const EXECUTION_STATES = ["running", "failed", "completed", "cancelled"] as const;

export interface ExecutionsSearch {
    status?: ExecutionStatus;
    /** Of which workflow. */
    workflow?: string;
}

const executions = createRoute({
    getParentRoute: () => work,
    path: "/executions",
    validateSearch: (search: Record<string, unknown>): ExecutionsSearch => ({
        status: wordOf(EXECUTION_STATES, search.status),
        ...(search.workflow !== undefined && { workflow: String(search.workflow) }),
    }),
    component: lazyRouteComponent(() => import("./executions/ExecutionsPage"), "ExecutionsPage"),
});

export const EXECUTION_TABS = ["chat", "graph", "tools", "history"] as const;

export interface ExecutionSearch extends RoomSearch {
    tab?: (typeof EXECUTION_TABS)[number];
    /** The task that is looked at, by its key. */
    task?: string;
}

const execution = createRoute({
    getParentRoute: () => work,
    path: "/executions/$executionId",
    validateSearch: (search: Record<string, unknown>): ExecutionSearch => ({
        ...roomSearch(search),
        tab: wordOf(EXECUTION_TABS, search.tab),
        ...(search.task !== undefined && { task: String(search.task) }),
    }),
    component: lazyRouteComponent(() => import("./executions/ExecutionPage"), "ExecutionPage"),
});

const tree = root.addChildren([
    login,
    shell.addChildren([
        home,
        inbox,
        approval,
        rooms.addChildren([noRoom, room]),
        settings,
        admin,
        operate.addChildren([ops, users, tokens, secrets, audit]),
        work.addChildren([workflows, workflow, executions, execution]),
    ]),
]);

export function makeRouter(queries: QueryClient) {
    return createRouter({ routeTree: tree, context: { queries }, defaultPendingMs: 150 });
}

declare module "@tanstack/react-router" {
    interface Register {
        router: ReturnType<typeof makeRouter>;
    }
}
