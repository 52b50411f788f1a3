// SPDX-License-Identifier: Apache-2.0
// The person's menu: theme and language at hand, the way to the settings, shortcuts, signing out.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Activity, Building2, Check, Keyboard, LogOut, Settings, Workflow } from "lucide-react";
import {
    Button as AriaButton,
    Header,
    Menu,
    MenuItem,
    MenuSection,
    MenuTrigger,
    Popover,
} from "react-aria-components";
import { useTranslations } from "use-intl";
import { logOut } from "../../api/auth";
import {
    LANGUAGES,
    type Preferences,
    preferences,
    setPreference,
    THEMES,
} from "../../store/preferences";
import { Avatar } from "../../ui/Avatar";
import menu from "../../ui/Menu.module.css";
import { useReadable } from "../../ui/useReadable";
import styles from "./Rail.module.css";
import { useSession } from "./SessionContext";
import type { Overlay } from "./Shell";

type Chosen = "theme" | "language";

interface ChoiceProps<Name extends Chosen> {
    name: Name;
    values: readonly Preferences[Name][];
}

function Choice<Name extends Chosen>({ name, values }: ChoiceProps<Name>) {
    const t = useTranslations("account");
    const chosen = useReadable(preferences)[name];
    const heading: Chosen = name;
    const words: readonly Preferences[Chosen][] = values;
    return (
        <MenuSection
            className={menu.section}
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[chosen]}
            onSelectionChange={(keys) => {
                const [value] = [...(keys as Set<Preferences[Name]>)];
                if (value !== undefined) {
                    setPreference(name, value);
                }
            }}
        >
            <Header className={menu.heading}>{t(heading)}</Header>
            {words.map((value) => (
                <MenuItem key={value} id={value} className={menu.item} textValue={t(value)}>
                    {({ isSelected }) => (
                        <>
                            {t(value)}
                            {isSelected && (
                                <Check size={16} className={menu.tick} aria-hidden="true" />
                            )}
                        </>
                    )}
                </MenuItem>
            ))}
        </MenuSection>
    );
}

export function AccountMenu({ onOpen }: { onOpen: (overlay: Overlay) => void }) {
    const t = useTranslations("account");
    const words = useTranslations("nav");
    const { me } = useSession();
    const queries = useQueryClient();
    const navigate = useNavigate();
    const name = me.user.display_name || me.user.email;

    async function leave(): Promise<void> {
        // Whatever the server says: this browser forgets who it was.
        await logOut().catch(() => undefined);
        await navigate({ to: "/login", replace: true });
        queries.clear();
    }

    return (
        <MenuTrigger>
            <AriaButton className={styles.item} aria-label={t("menu", { name })}>
                <Avatar name={name} />
                <span className={styles.word}>{name}</span>
            </AriaButton>
            <Popover placement="top start" className={menu.popover}>
                <Menu className={menu.menu} aria-label={t("menu", { name })}>
                    <Choice name="theme" values={THEMES} />
                    <Choice name="language" values={LANGUAGES} />
                    <MenuSection className={menu.section} aria-label={t("menu", { name })}>
                        <MenuItem className={menu.item} textValue={t("settings")} href="/settings">
                            <Settings size={16} strokeWidth={1.75} aria-hidden="true" />
                            {t("settings")}
                        </MenuItem>
                        <MenuItem
                            className={menu.item}
                            textValue={words("workflows")}
                            href="/workflows"
                        >
                            <Workflow size={16} strokeWidth={1.75} aria-hidden="true" />
                            {words("workflows")}
                        </MenuItem>
                        {me.user.role !== "member" && (
                            <MenuItem className={menu.item} textValue={t("ops")} href="/ops">
                                <Activity size={16} strokeWidth={1.75} aria-hidden="true" />
                                {t("ops")}
                            </MenuItem>
                        )}
                        {me.user.role === "admin" && (
                            <MenuItem
                                className={menu.item}
                                textValue={t("admin")}
                                href="/admin/users"
                            >
                                <Building2 size={16} strokeWidth={1.75} aria-hidden="true" />
                                {t("admin")}
                            </MenuItem>
                        )}
                        <MenuItem
                            className={menu.item}
                            textValue={t("keys")}
                            onAction={() => onOpen("keys")}
                        >
                            <Keyboard size={16} strokeWidth={1.75} aria-hidden="true" />
                            {t("keys")}
                        </MenuItem>
                        <MenuItem
                            className={menu.item}
                            textValue={t("logOut")}
                            onAction={() => void leave()}
                        >
                            <LogOut size={16} strokeWidth={1.75} aria-hidden="true" />
                            {t("logOut")}
                        </MenuItem>
                    </MenuSection>
                </Menu>
            </Popover>
        </MenuTrigger>
    );
}
