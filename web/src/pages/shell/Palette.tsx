// SPDX-License-Identifier: Apache-2.0
// Ctrl+K: a room by its name, or an action. Enter on the empty palette goes to the next unread room.
import { useRouter } from "@tanstack/react-router";
import {
    ArrowRight,
    Hash,
    Inbox,
    Keyboard,
    Languages,
    Plus,
    Settings,
    SunMoon,
} from "lucide-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { Autocomplete, Input, Menu, MenuItem, SearchField } from "react-aria-components";
import { useTranslations } from "use-intl";
import { folded } from "../../store/folded";
import { preferences, setPreference } from "../../store/preferences";
import { CountBadge } from "../../ui/CountBadge";
import { Dialog } from "../../ui/Dialog";
import { isComposing } from "../../ui/ime";
import menu from "../../ui/Menu.module.css";
import { useReadable } from "../../ui/useReadable";
import { useNextUnread } from "../rooms/useNextUnread";
import { useOrderedRooms, useRoomName } from "../rooms/useRooms";
import styles from "./Palette.module.css";
import { useSession } from "./SessionContext";
import type { Overlay } from "./Shell";

interface Entry {
    id: string;
    text: string;
    icon: ReactNode;
    /** Rooms show their count. */
    roomId?: string;
    act: () => void;
}

const SHOWN_ROOMS = 50;
const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

/** An entry was chosen by arrows: then Enter means that one. */
function isWalking(field: EventTarget): boolean {
    return field instanceof Element && field.hasAttribute("aria-activedescendant");
}

function switchTheme(): void {
    const isDark =
        preferences.get().theme === "dark" ||
        (preferences.get().theme === "system" &&
            matchMedia("(prefers-color-scheme: dark)").matches);
    setPreference("theme", isDark ? "light" : "dark");
}

function switchLanguage(): void {
    setPreference("language", preferences.get().language === "en" ? "ja" : "en");
}

function useEntries(onOpen: (overlay: Overlay) => void): { first: Entry[]; rest: Entry[] } {
    const t = useTranslations("palette");
    const session = useSession();
    const router = useRouter();
    const rooms = useOrderedRooms(session);
    const nameOf = useRoomName();
    const nextId = useNextUnread(session)(1);
    const next = rooms.find((room) => room.id === nextId);
    const open = (roomId: string) => () =>
        void router.navigate({ to: "/rooms/$roomId", params: { roomId } });

    const first: Entry[] = next
        ? [
              {
                  id: "next",
                  text: t("nextUnread", { name: nameOf(next) }),
                  icon: <ArrowRight {...icon} />,
                  act: open(next.id),
              },
          ]
        : [];
    const rest: Entry[] = rooms.map((room) => ({
        id: `room-${room.id}`,
        text: nameOf(room),
        icon: <Hash {...icon} />,
        roomId: room.id,
        act: open(room.id),
    }));
    rest.push(
        { id: "new", text: t("newRoom"), icon: <Plus {...icon} />, act: () => onOpen("newRoom") },
        {
            id: "inbox",
            text: t("inbox"),
            icon: <Inbox {...icon} />,
            act: () => void router.navigate({ to: "/inbox" }),
        },
        {
            id: "settings",
            text: t("settings"),
            icon: <Settings {...icon} />,
            act: () => void router.navigate({ to: "/settings" }),
        },
        { id: "theme", text: t("theme"), icon: <SunMoon {...icon} />, act: switchTheme },
        { id: "language", text: t("language"), icon: <Languages {...icon} />, act: switchLanguage },
        { id: "keys", text: t("keys"), icon: <Keyboard {...icon} />, act: () => onOpen("keys") },
    );
    return { first, rest };
}

export interface PaletteProps {
    onClose: () => void;
    onOpen: (overlay: Overlay) => void;
}

export default function Palette({ onClose, onOpen }: PaletteProps) {
    const t = useTranslations("palette");
    const session = useSession();
    const counts = useReadable(session.unread.counts);
    const [query, setQuery] = useState("");
    const { first, rest } = useEntries(onOpen);
    const wanted = folded(query.trim());
    const found = rest.filter((entry) => folded(entry.text).includes(wanted));
    const shown = wanted === "" ? [...first, ...found] : found;

    return (
        <Dialog title={t("title")} titleLook="spoken" place="top" onClose={onClose}>
            <Autocomplete inputValue={query} onInputChange={setQuery}>
                <SearchField
                    autoFocus
                    aria-label={t("search")}
                    className={styles.search}
                    onKeyDown={(key) => {
                        if (isComposing(key)) {
                            return;
                        }
                        if (key.key === "Enter" && query === "" && !isWalking(key.target)) {
                            shown[0]?.act();
                            onClose();
                        }
                    }}
                >
                    <Input className={styles.input} placeholder={t("search")} />
                </SearchField>
                <Menu
                    className={`${menu.menu} ${styles.entries}`}
                    aria-label={t("title")}
                    renderEmptyState={() => <p className={styles.nothing}>{t("nothing")}</p>}
                >
                    {shown.slice(0, SHOWN_ROOMS).map((entry) => (
                        <MenuItem
                            key={entry.id}
                            id={entry.id}
                            textValue={entry.text}
                            className={menu.item}
                            onAction={() => {
                                onClose();
                                entry.act();
                            }}
                        >
                            {entry.icon}
                            <span className={styles.text}>{entry.text}</span>
                            {entry.roomId !== undefined && (
                                <CountBadge
                                    counts={counts.get(entry.roomId) ?? { unread: 0, mentions: 0 }}
                                />
                            )}
                        </MenuItem>
                    ))}
                </Menu>
            </Autocomplete>
        </Dialog>
    );
}
