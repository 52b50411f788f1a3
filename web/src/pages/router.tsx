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
import { fetchMe } from "../api/calls";
import type { Me } from "../api/model";
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
export function roomSearch(search: Record<string, unknown>): RoomSearch {
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

const settings = createRoute({
    getParentRoute: () => shell,
    path: "/settings",
    component: lazyRouteComponent(() => import("./settings/SettingsPage"), "SettingsPage"),
});

const ops = createRoute({
    getParentRoute: () => shell,
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
    getParentRoute: () => shell,
    path: "/admin/users",
    component: lazyRouteComponent(() => import("./admin/UsersPage"), "UsersPage"),
});

const tokens = createRoute({
    getParentRoute: () => shell,
    path: "/admin/tokens",
    component: lazyRouteComponent(() => import("./admin/TokensPage"), "TokensPage"),
});

const audit = createRoute({
    getParentRoute: () => shell,
    path: "/admin/audit",
    component: lazyRouteComponent(() => import("./admin/AuditPage"), "AuditPage"),
});

const tree = root.addChildren([
    login,
    shell.addChildren([
        home,
        inbox,
        rooms.addChildren([noRoom, room]),
        settings,
        ops,
        admin,
        users,
        tokens,
        audit,
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
