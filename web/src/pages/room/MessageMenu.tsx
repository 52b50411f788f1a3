// SPDX-License-Identifier: Apache-2.0
// What one may do with a message, in a menu beside the button that opened it.
import { Copy, Link2, MailOpen, MessageSquareReply, Pencil, SmilePlus, Trash2 } from "lucide-react";
import { useRef } from "react";
import { Menu, MenuItem, Popover } from "react-aria-components";
import { useTranslations } from "use-intl";
import type { RoomEvent } from "../../api/model";
import { problemOf } from "../../api/problem";
import { plainOf } from "../../store/content";
import { copyText } from "../../ui/clipboard";
import menu from "../../ui/Menu.module.css";
import { showToast } from "../../ui/toast";
import { useSession } from "../shell/SessionContext";
import { ReactionPicker } from "./ReactionPicker";
import { type Place, useOpenRoom } from "./RoomContext";
import { isEditable } from "./useLastOwn";

export interface OpenMenu {
    what: "actions" | "react";
    event: RoomEvent;
    button: HTMLElement;
}

const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

export interface MessageMenuProps {
    open: OpenMenu;
    place: Place;
    onOpen: (open: OpenMenu | undefined) => void;
}

export function MessageMenu({ open, place, onOpen }: MessageMenuProps) {
    const close = () => onOpen(undefined);
    return open.what === "react" ? (
        <ReactionPicker event={open.event} button={open.button} onClose={close} />
    ) : (
        <ActionMenu open={open} place={place} onOpen={onOpen} />
    );
}

function ActionMenu({ open, place, onOpen }: MessageMenuProps) {
    const onClose = () => onOpen(undefined);
    const t = useTranslations();
    const { me } = useSession();
    const { room, ownId, participants, edit, openThread, deletions } = useOpenRoom();
    const button = useRef<HTMLElement>(open.button);
    const { event } = open;
    const isOwn = event.source.participant_id === ownId;
    const mayDelete =
        isOwn || me.user.role === "admin" || participants.get(ownId)?.role === "owner";

    async function copy(text: string): Promise<void> {
        if (await copyText(text)) {
            showToast({ text: t("message.copied") });
        }
    }

    async function markUnread(): Promise<void> {
        try {
            await room.markUnreadFrom(event.index);
        } catch (thrown) {
            showToast({ text: t(`problem.${problemOf(thrown).sentence}`) });
        }
    }

    const link = `${location.origin}/rooms/${room.roomId}?at=${event.index}`;
    return (
        <Popover
            aria-label={t("message.actions")}
            triggerRef={button}
            isOpen
            onOpenChange={(isOpen) => !isOpen && onClose()}
            placement="bottom end"
            className={menu.popover}
        >
            <Menu
                aria-label={t("message.actions")}
                className={menu.menu}
                autoFocus="first"
                onClose={onClose}
            >
                {place === "timeline" && (
                    <MenuItem
                        className={menu.item}
                        textValue={t("message.reply")}
                        onAction={() => openThread(event.parent_event_id || event.id)}
                    >
                        <MessageSquareReply {...icon} />
                        {t("message.reply")}
                    </MenuItem>
                )}
                <MenuItem
                    className={menu.item}
                    textValue={t("message.react")}
                    // After the menu has given the focus back, or it would close what opens.
                    onAction={() => setTimeout(() => onOpen({ ...open, what: "react" }))}
                >
                    <SmilePlus {...icon} />
                    {t("message.react")}
                </MenuItem>
                {isEditable(event, ownId) && (
                    <MenuItem
                        className={menu.item}
                        textValue={t("message.edit")}
                        // After the menu has given the focus back, or it would take it from the field.
                        onAction={() => setTimeout(() => edit(event.id, place))}
                    >
                        <Pencil {...icon} />
                        {t("message.edit")}
                    </MenuItem>
                )}
                <MenuItem
                    className={menu.item}
                    textValue={t("message.markUnread")}
                    onAction={() => void markUnread()}
                >
                    <MailOpen {...icon} />
                    {t("message.markUnread")}
                </MenuItem>
                <MenuItem
                    className={menu.item}
                    textValue={t("message.copyText")}
                    onAction={() => void copy(plainOf(event.content))}
                >
                    <Copy {...icon} />
                    {t("message.copyText")}
                </MenuItem>
                <MenuItem
                    className={menu.item}
                    textValue={t("message.copyLink")}
                    onAction={() => void copy(link)}
                >
                    <Link2 {...icon} />
                    {t("message.copyLink")}
                </MenuItem>
                {mayDelete && (
                    <MenuItem
                        className={`${menu.item} ${menu.bad}`}
                        textValue={t("message.delete")}
                        onAction={() => setTimeout(() => deletions.begin(event.id))}
                    >
                        <Trash2 {...icon} />
                        {t("message.delete")}
                    </MenuItem>
                )}
            </Menu>
        </Popover>
    );
}
