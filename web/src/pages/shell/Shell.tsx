// SPDX-License-Identifier: Apache-2.0
// What stands around every page behind the login: the rail, the state of the connection, the palette.
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Outlet, useRouter, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { I18nProvider, RouterProvider } from "react-aria-components";
import { useLocale, useTranslations } from "use-intl";
import { reportUnauthenticated, whenUnauthenticated } from "../../api/client";
import { Session } from "../../store/session";
import { Announcer } from "../../ui/announce";
import { ToastPlace } from "../../ui/toast";
import { keepTyped, takeTyped } from "../../ui/typedAhead";
import { Attention } from "../approvals/Attention";
import { Rail } from "./Rail";
import { SessionContext } from "./SessionContext";
import styles from "./Shell.module.css";
import { StaleBar } from "./StaleBar";
import { useFocusOnPage } from "./useFocusOnPage";
import { useShortcuts } from "./useShortcuts";

const loadPalette = () => import("./Palette");
const Palette = lazy(loadPalette);
const KeyHelp = lazy(() => import("./KeyHelp"));
const NewRoomDialog = lazy(() => import("../rooms/NewRoomDialog"));

const route = getRouteApi("/shell");
const PRELOAD_MS = 500;

export type Overlay = "palette" | "keys" | "newRoom";

function useLoginSession(): Session {
    const { me } = route.useRouteContext();
    const queries = useQueryClient();
    const router = useRouter();
    const leave = useCallback(() => {
        queries.removeQueries({ queryKey: ["me"] });
        const to = router.state.location.href;
        void router.navigate({ to: "/login", search: { to }, replace: true });
    }, [queries, router]);
    const session = useMemo(() => new Session(me, queries, reportUnauthenticated), [me, queries]);
    useEffect(() => {
        whenUnauthenticated(leave);
        session.start();
        return () => session.stop();
    }, [session, leave]);
    return session;
}

export function Shell() {
    const t = useTranslations();
    const locale = useLocale();
    const session = useLoginSession();
    const router = useRouter();
    const [overlay, setOverlay] = useState<Overlay>();
    const isInRoom = useRouterState({
        select: (state) => /^\/rooms\/./.test(state.location.pathname),
    });
    useShortcuts(session, (next) => {
        if (next === "palette" && overlay !== "palette") {
            keepTyped();
            loadPalette().catch(() => takeTyped());
        }
        setOverlay(next);
    });
    useFocusOnPage();
    useEffect(() => {
        // Ahead of its first use: it shall be there at once.
        const timer = setTimeout(() => {
            // Without a connection it is loaded at its first use instead.
            loadPalette().catch(() => undefined);
        }, PRELOAD_MS);
        return () => clearTimeout(timer);
    }, []);

    return (
        <SessionContext value={session}>
            <I18nProvider locale={locale === "ja" ? "ja-JP" : "en-US"}>
                <RouterProvider navigate={(to) => router.history.push(to)}>
                    <a href="#main" className={styles.skip}>
                        {t("app.skip")}
                    </a>
                    <div className={`${styles.shell} ${isInRoom ? styles.inRoom : ""}`}>
                        <Rail onOpen={setOverlay} />
                        <div className={styles.page}>
                            <StaleBar />
                            <Outlet />
                        </div>
                    </div>
                    <Attention />
                    <Announcer />
                    <ToastPlace />
                    <Suspense>
                        {overlay === "palette" && (
                            <Palette onClose={() => setOverlay(undefined)} onOpen={setOverlay} />
                        )}
                        {overlay === "keys" && <KeyHelp onClose={() => setOverlay(undefined)} />}
                        {overlay === "newRoom" && (
                            <NewRoomDialog onClose={() => setOverlay(undefined)} />
                        )}
                    </Suspense>
                </RouterProvider>
            </I18nProvider>
        </SessionContext>
    );
}
