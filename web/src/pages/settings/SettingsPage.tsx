// SPDX-License-Identifier: Apache-2.0
// How the person wants the page, and who they are to the others.
import { useTranslations } from "use-intl";
import { LANGUAGES, preferences, SEND_KEYS, setPreference, THEMES } from "../../store/preferences";
import { Page, Section } from "../../ui/Page";
import { Segments } from "../../ui/Segments";
import { useReadable } from "../../ui/useReadable";
import { usePageTitle } from "../shell/usePageTitle";
import { LetterKeys } from "./LetterKeys";
import { PasswordSection } from "./PasswordSection";
import { ProfileSection } from "./ProfileSection";

export function SettingsPage() {
    const t = useTranslations();
    const held = useReadable(preferences);
    usePageTitle(t("settings.title"));
    return (
        <Page title={t("settings.title")}>
            <Section title={t("settings.look")}>
                <Segments
                    label={t("account.theme")}
                    value={held.theme}
                    options={THEMES.map((value) => ({ value, label: t(`account.${value}`) }))}
                    onChange={(value) => setPreference("theme", value)}
                />
                <Segments
                    label={t("account.language")}
                    value={held.language}
                    options={LANGUAGES.map((value) => ({
                        value,
                        label: t(`account.${value}`),
                        lang: value,
                    }))}
                    onChange={(value) => setPreference("language", value)}
                />
                <Segments
                    label={t("account.time")}
                    value={held.time}
                    options={(["local", "utc"] as const).map((value) => ({
                        value,
                        label: t(`account.${value}`),
                    }))}
                    onChange={(value) => setPreference("time", value)}
                />
            </Section>
            <Section title={t("settings.writing")}>
                <Segments
                    label={t("settings.sendKey")}
                    help={t("settings.sendKeyHelp")}
                    value={held.sendKey}
                    options={SEND_KEYS.map((value) => ({ value, label: t(`settings.${value}`) }))}
                    onChange={(value) => setPreference("sendKey", value)}
                />
                <LetterKeys />
            </Section>
            <ProfileSection />
            <PasswordSection />
        </Page>
    );
}
