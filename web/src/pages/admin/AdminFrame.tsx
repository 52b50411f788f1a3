// SPDX-License-Identifier: Apache-2.0
// What stands around the pages of the organisation; whoever may not see them is told who may.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Empty, Page } from "../../ui/Page";
import { Tabs } from "../../ui/Tabs";
import { useSession } from "../shell/SessionContext";
import { usePageTitle } from "../shell/usePageTitle";

export interface AdminFrameProps {
    title: string;
    actions?: ReactNode;
    children: ReactNode;
}

export function AdminFrame({ title, actions, children }: AdminFrameProps) {
    const t = useTranslations("admin");
    const { me } = useSession();
    usePageTitle(title);
    if (me.user.role !== "admin") {
        return (
            <Page title={t("title")}>
                <Empty title={t("forbidden")}>
                    <p>{t("forbiddenHelp")}</p>
                </Empty>
            </Page>
        );
    }
    return (
        <Page
            title={t("title")}
            actions={actions}
            tabs={
                <Tabs label={t("title")}>
                    <Link to="/admin/users">{t("users")}</Link>
                    <Link to="/admin/tokens">{t("tokens")}</Link>
                    <Link to="/admin/secrets">{t("secrets")}</Link>
                    <Link to="/admin/audit">{t("audit")}</Link>
                </Tabs>
            }
        >
            {children}
        </Page>
    );
}
