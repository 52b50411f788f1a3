// SPDX-License-Identifier: Apache-2.0
// What one may do with a room as a whole: rename it, close and open it, leave it, delete it.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Archive, DoorClosed, DoorOpen, Link2, LogOut, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { MenuSection } from "react-aria-components";
import { useTranslations } from "use-intl";
import { archiveRoom, closeRoom, deleteRoom, removeParticipant, reopenRoom } from "../../api/calls";
import { problemOf } from "../../api/problem";
import { ActionItem, ActionsMenu } from "../../ui/ActionsMenu";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { copyText } from "../../ui/clipboard";
import menu from "../../ui/Menu.module.css";
import { showToast } from "../../ui/toast";
import { RenameDialog } from "./RenameDialog";
import { isOpenToWrite, useOpenRoom } from "./RoomContext";
import { useRights } from "./useRights";

type Asked = "rename" | "close" | "archive" | "leave" | "delete";

const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

export function RoomMenu({ name }: { name: string }) {
    const t = useTranslations();
    const { room, detail, ownId } = useOpenRoom();
    const { mayManage, mayLeave } = useRights();
    const queries = useQueryClient();
    const navigate = useNavigate();
    const [asked, setAsked] = useState<Asked>();
    const status = detail?.status ?? "active";
    const isWritable = isOpenToWrite(detail);
    const { roomId } = room;

    async function refresh(): Promise<void> {
        await Promise.all([
            queries.invalidateQueries({ queryKey: ["room", roomId] }),
            queries.invalidateQueries({ queryKey: ["rooms"] }),
        ]);
    }

    async function leaveFor(act: Promise<unknown>): Promise<void> {
        await act;
        await queries.invalidateQueries({ queryKey: ["rooms"] });
        await navigate({ to: "/rooms" });
    }

    async function reopen(): Promise<void> {
        try {
            await reopenRoom(roomId);
            await refresh();
        } catch (thrown) {
            showToast({ text: t(`problem.${problemOf(thrown).sentence}`) });
        }
    }

    async function copyLink(): Promise<void> {
        if (await copyText(`${location.origin}/rooms/${roomId}`)) {
            showToast({ text: t("message.copied") });
        }
    }

    const confirmations = {
        close: () => closeRoom(roomId).then(refresh),
        archive: () => archiveRoom(roomId).then(refresh),
        leave: () => leaveFor(removeParticipant(roomId, ownId)),
        delete: () => leaveFor(deleteRoom(roomId)),
    };
    return (
        <>
            <ActionsMenu label={t("roomMenu.title")}>
                <MenuSection className={menu.section} aria-label={t("roomMenu.title")}>
                    <ActionItem
                        text={t("roomMenu.copyLink")}
                        sign={<Link2 {...icon} />}
                        onAction={() => void copyLink()}
                    />
                    {mayManage && (
                        <ActionItem
                            text={t("roomMenu.rename")}
                            sign={<Pencil {...icon} />}
                            onAction={() => setAsked("rename")}
                        />
                    )}
                    {mayManage && isWritable && (
                        <ActionItem
                            text={t("roomMenu.close")}
                            sign={<DoorClosed {...icon} />}
                            onAction={() => setAsked("close")}
                        />
                    )}
                    {mayManage && !isWritable && (
                        <ActionItem
                            text={t("room.reopen")}
                            sign={<DoorOpen {...icon} />}
                            onAction={() => void reopen()}
                        />
                    )}
                    {mayManage && status !== "archived" && (
                        <ActionItem
                            text={t("roomMenu.archive")}
                            sign={<Archive {...icon} />}
                            onAction={() => setAsked("archive")}
                        />
                    )}
                </MenuSection>
                <MenuSection className={menu.section} aria-label={t("roomMenu.leaving")}>
                    {mayLeave && (
                        <ActionItem
                            text={t("roomMenu.leave")}
                            sign={<LogOut {...icon} />}
                            onAction={() => setAsked("leave")}
                        />
                    )}
                    {mayManage && (
                        <ActionItem
                            text={t("roomMenu.delete")}
                            sign={<Trash2 {...icon} />}
                            look="bad"
                            onAction={() => setAsked("delete")}
                        />
                    )}
                </MenuSection>
            </ActionsMenu>
            {asked === "rename" && (
                <RenameDialog
                    roomId={roomId}
                    name={detail?.name ?? ""}
                    onDone={refresh}
                    onClose={() => setAsked(undefined)}
                />
            )}
            {asked !== undefined && asked !== "rename" && (
                <ConfirmDialog
                    title={t(`roomMenu.${asked}Title`, { name })}
                    deed={t(`roomMenu.${asked}`)}
                    look={asked === "delete" ? "bad" : "filled"}
                    onConfirm={confirmations[asked]}
                    onClose={() => setAsked(undefined)}
                >
                    {t(`roomMenu.${asked}Text`)}
                </ConfirmDialog>
            )}
        </>
    );
}
