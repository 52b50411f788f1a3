// SPDX-License-Identifier: Apache-2.0
// The server at a glance: who serves, what waits, and what was not delivered. It looks again by itself.
import { useTranslations } from "use-intl";
import { Empty, Page, Section } from "../../ui/Page";
import { useSession } from "../shell/SessionContext";
import { usePageTitle } from "../shell/usePageTitle";
import { Lanes } from "./Lanes";
import { Skips } from "./Skips";
import { Workers } from "./Workers";

export function OpsPage() {
    const t = useTranslations("ops");
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
            <Section title={t("skips")}>
                <Skips />
            </Section>
            <Section title={t("workers")}>
                <Workers />
            </Section>
        </Page>
    );
}
