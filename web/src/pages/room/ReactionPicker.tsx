// SPDX-License-Identifier: Apache-2.0
// A row of signs to nod with: whoever is in the room sees it for a moment.
import { useRef } from "react";
import { Button as AriaButton, Dialog, Popover, Toolbar } from "react-aria-components";
import { useTranslations } from "use-intl";
import type { RoomEvent } from "../../api/model";
import { REACTIONS } from "../../live/reactions";
import menu from "../../ui/Menu.module.css";
import styles from "./Reactions.module.css";
import { useOpenRoom } from "./RoomContext";

export interface ReactionPickerProps {
    event: RoomEvent;
    button: HTMLElement;
    onClose: () => void;
}

export function ReactionPicker({ event, button, onClose }: ReactionPickerProps) {
    const t = useTranslations("reaction");
    const { room } = useOpenRoom();
    const trigger = useRef<HTMLElement>(button);
    return (
        <Popover
            triggerRef={trigger}
            isOpen
            onOpenChange={(isOpen) => !isOpen && onClose()}
            placement="top end"
            className={`${menu.popover} ${styles.picker}`}
        >
            <Dialog aria-label={t("title")} className={menu.menu}>
                <Toolbar aria-label={t("title")} className={styles.row}>
                    {REACTIONS.map((emoji, at) => (
                        <AriaButton
                            key={emoji}
                            autoFocus={at === 0}
                            className={styles.choice}
                            aria-label={t("with", { emoji })}
                            onPress={() => {
                                room.react(event.id, emoji);
                                onClose();
                            }}
                        >
                            {emoji}
                        </AriaButton>
                    ))}
                </Toolbar>
                <p className={styles.help}>{t("help")}</p>
            </Dialog>
        </Popover>
    );
}
