// SPDX-License-Identifier: Apache-2.0
// What whoever manages a room may do with somebody in it: another role, or out.
import { useQueryClient } from "@tanstack/react-query";
import { Check, Ellipsis, UserMinus } from "lucide-react";
import { useState } from "react";
import { Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from "react-aria-components";
import { useTranslations } from "use-intl";
import { removeParticipant, setParticipantRole } from "../../api/calls";
import type { Participant, ParticipantRole } from "../../api/model";
import { problemOf } from "../../api/problem";
import { IconButton } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import menu from "../../ui/Menu.module.css";
import { showToast } from "../../ui/toast";
import { useOpenRoom } from "./RoomContext";

const ROLES: readonly ParticipantRole[] = ["owner", "member", "observer"];

export function PersonMenu({ person }: { person: Participant }) {
    const t = useTranslations();
    const { room } = useOpenRoom();
    const queries = useQueryClient();
    const [isRemoving, setIsRemoving] = useState(false);
    const name = person.display_name || person.id;
    const isAgent = person.role === "agent" || person.role === "bot";
    const refresh = () => queries.invalidateQueries({ queryKey: ["room", room.roomId] });

    async function change(role: ParticipantRole): Promise<void> {
        try {
            await setParticipantRole(room.roomId, person.id, role);
            await refresh();
        } catch (thrown) {
            showToast({ text: t(`problem.${problemOf(thrown).sentence}`) });
        }
    }

    return (
        <>
            <MenuTrigger>
                <IconButton size="small" label={t("people.actions", { name })}>
                    <Ellipsis size={16} strokeWidth={1.75} />
                </IconButton>
                <Popover placement="bottom end" className={menu.popover}>
                    <Menu className={menu.menu} aria-label={t("people.actions", { name })}>
                        {!isAgent && (
                            <MenuSection
                                className={menu.section}
                                selectionMode="single"
                                disallowEmptySelection
                                selectedKeys={[person.role]}
                                onSelectionChange={(keys) => {
                                    const [role] = [...(keys as Set<ParticipantRole>)];
                                    if (role !== undefined && role !== person.role) {
                                        void change(role);
                                    }
                                }}
                            >
                                <Header className={menu.heading}>{t("people.role")}</Header>
                                {ROLES.map((role) => (
                                    <MenuItem
                                        key={role}
                                        id={role}
                                        className={menu.item}
                                        textValue={t(`people.${role}`)}
                                    >
                                        {({ isSelected }) => (
                                            <>
                                                {t(`people.${role}`)}
                                                {isSelected && (
                                                    <Check
                                                        size={16}
                                                        className={menu.tick}
                                                        aria-hidden="true"
                                                    />
                                                )}
                                            </>
                                        )}
                                    </MenuItem>
                                ))}
                            </MenuSection>
                        )}
                        <MenuSection
                            className={menu.section}
                            aria-label={t("people.actions", { name })}
                        >
                            <MenuItem
                                className={`${menu.item} ${menu.bad}`}
                                textValue={t("people.remove")}
                                onAction={() => setIsRemoving(true)}
                            >
                                <UserMinus size={16} strokeWidth={1.75} aria-hidden="true" />
                                {t("people.remove")}
                            </MenuItem>
                        </MenuSection>
                    </Menu>
                </Popover>
            </MenuTrigger>
            {isRemoving && (
                <ConfirmDialog
                    title={t("people.removeTitle", { name })}
                    deed={t("people.remove")}
                    onConfirm={() => removeParticipant(room.roomId, person.id).then(refresh)}
                    onClose={() => setIsRemoving(false)}
                >
                    {t("people.removeText")}
                </ConfirmDialog>
            )}
        </>
    );
}
