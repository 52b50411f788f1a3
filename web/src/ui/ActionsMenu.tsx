// SPDX-License-Identifier: Apache-2.0
// What can be done with one of many, behind a button of its own.
import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { IconButton } from "./Button";
import menu from "./Menu.module.css";

export function ActionsMenu({ label, children }: { label: string; children: ReactNode }) {
    return (
        <MenuTrigger>
            <IconButton label={label}>
                <Ellipsis size={20} strokeWidth={1.75} />
            </IconButton>
            <Popover placement="bottom end" className={menu.popover}>
                <Menu className={menu.menu} aria-label={label}>
                    {children}
                </Menu>
            </Popover>
        </MenuTrigger>
    );
}

export interface ActionItemProps {
    text: string;
    sign: ReactNode;
    look?: "plain" | "bad";
    onAction: () => void;
}

export function ActionItem({ text, sign, look = "plain", onAction }: ActionItemProps) {
    return (
        <MenuItem
            className={look === "bad" ? `${menu.item} ${menu.bad}` : menu.item}
            textValue={text}
            onAction={onAction}
        >
            {sign}
            {text}
        </MenuItem>
    );
}
