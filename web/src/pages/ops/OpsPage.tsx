// SPDX-License-Identifier: Apache-2.0
// The server at a glance: who serves, who holds what, what waits, and what was not delivered. It looks again by itself.
import { useTranslations } from "use-intl";
import { Empty, Page, Section } from "../../ui/Page";
import { useSession } from "../shell/SessionContext";
import { usePageTitle } from "../shell/usePageTitle";
import { Lanes } from "./Lanes";
import { Leases } from "./Leases";
import { Skips } from "./Skips";
import { Workers } from "./Workers";

export function OpsPage() {
    const t = useTranslations("ops");
    const leases = useTranslations("leases");
    const { me } = useSession();
    usePageTitle(t("title"));
    if (me.user.role === "member") {
        return (
            <Page title={t("title")}>
                <Empty title={t("forbidden")}>
                    <p>{t("forbiddenHelp")}</p>
                </Empty>
            </Page>
        );
    }
    return (
        <Page title={t("title")}>
            <Section title={t("lanes")}>
                <Lanes />
            </Section>
            <Section title={leases("title")}>
                <Leases />
            </Section>
            <Section title={t("skips")}>
                <Skips />
            </Section>
            <Section title={t("workers")}>
                <Workers />
            </Section>
        </Page>
    );
}
