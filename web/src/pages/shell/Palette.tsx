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
    ShieldQuestion,
    SunMoon,
} from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { closest } from "../../store/closest";
import { withoutTurns } from "../../store/exactText";
import { preferences, setPreference } from "../../store/preferences";
import { CountBadge } from "../../ui/CountBadge";
import { Dialog } from "../../ui/Dialog";
import menu from "../../ui/Menu.module.css";
import { takeTyped } from "../../ui/typedAhead";
import { useReadable } from "../../ui/useReadable";
import { useMyApprovals } from "../approvals/useApprovals";
import { useNextUnread } from "../rooms/useNextUnread";
import { useOrderedRooms, useRoomName } from "../rooms/useRooms";
import { useWorkEntries } from "../workflows/useWorkEntries";
import styles from "./Palette.module.css";
import { useSession } from "./SessionContext";
import type { Overlay } from "./Shell";

export interface Entry {
    id: string;
    text: string;
    icon: ReactNode;
    /** Rooms show their count. */
    roomId?: string;
    act: () => void;
}

const SHOWN_ENTRIES = 50;
const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

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
    const asked = useMyApprovals();
    const decide = useTranslations("approvals");
    const nextId = useNextUnread(session)(1);
    const next = rooms.find((room) => room.id === nextId);
    const work = useWorkEntries();
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
    rest.unshift(
        ...asked.map(({ id, kind, title }) => ({
            id: `approval-${id}`,
            text: decide(kind === "approval" ? "toDecide" : "toAnswer", {
                title: withoutTurns(title),
            }),
            icon: <ShieldQuestion {...icon} />,
            act: () =>
                void router.navigate({
                    to: "/approvals/$approvalId",
                    params: { approvalId: id },
                }),
        })),
    );
    rest.push(
        ...work,
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
    const listId = useId();
    const [query, setQuery] = useState("");
    /** What was walked or pointed to; the list may change around it. */
    const [walked, setWalked] = useState("");
    const { first, rest } = useEntries(onOpen);
    const found = closest(rest, query);
    const shown = (query.trim() === "" ? [...first, ...found] : found).slice(0, SHOWN_ENTRIES);
    const chosen = Math.max(
        0,
        shown.findIndex((entry) => entry.id === walked),
    );
    const optionId = (at: number) => `${listId}-${at}`;

    useEffect(() => {
        document.getElementById(`${listId}-${chosen}`)?.scrollIntoView({ block: "nearest" });
    }, [listId, chosen]);

    function write(text: string): void {
        setQuery(text);
        setWalked("");
    }

    function pick(entry: Entry | undefined): void {
        if (entry) {
            onClose();
            entry.act();
        }
    }

    function press(key: KeyboardEvent): void {
        if (key.key === "ArrowDown" || key.key === "ArrowUp") {
            const step = key.key === "ArrowDown" ? 1 : -1;
            setWalked(shown.at((chosen + step) % shown.length)?.id ?? "");
        } else if (key.key === "Enter") {
            pick(shown[chosen]);
        } else if (key.key === "Escape" && query !== "") {
            write("");
            // Only the next one closes.
            key.stopPropagation();
        } else {
            return;
        }
        key.preventDefault();
    }

    return (
        <Dialog title={t("title")} titleLook="spoken" place="top" onClose={onClose}>
            <div className={styles.search}>
                <input
                    type="search"
                    autoFocus
                    autoComplete="off"
                    spellCheck={false}
                    enterKeyHint="go"
                    className={styles.input}
                    aria-label={t("search")}
                    aria-autocomplete="list"
                    aria-controls={listId}
                    aria-activedescendant={shown.length > 0 ? optionId(chosen) : undefined}
                    placeholder={t("search")}
                    value={query}
                    onFocus={(focus) => {
                        const typed = takeTyped();
                        if (typed !== "") {
                            write(focus.target.value + typed);
                        }
                    }}
                    onChange={(change) => write(change.target.value)}
                    onKeyDown={press}
                />
            </div>
            {shown.length === 0 && <p className={styles.nothing}>{t("nothing")}</p>}
            <div id={listId} role="listbox" aria-label={t("title")} className={styles.entries}>
                {shown.map((entry, at) => (
                    <div
                        key={entry.id}
                        id={optionId(at)}
                        role="option"
                        tabIndex={-1}
                        aria-selected={at === chosen}
                        className={`${menu.item} ${styles.entry}`}
                        data-focused={at === chosen ? "" : undefined}
                        onPointerMove={() => setWalked(entry.id)}
                        // The field keeps the focus.
                        onMouseDown={(press) => press.preventDefault()}
                        onClick={() => pick(entry)}
                    >
                        {entry.icon}
                        <span className={styles.text}>{entry.text}</span>
                        {entry.roomId !== undefined && (
                            <CountBadge
                                counts={counts.get(entry.roomId) ?? { unread: 0, mentions: 0 }}
                            />
                        )}
                    </div>
                ))}
            </div>
        </Dialog>
    );
}
