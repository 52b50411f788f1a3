// SPDX-License-Identifier: Apache-2.0
// What those who make workflows do with one as a whole: publish it, name it, delete it.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useTranslations } from "use-intl";
import type { Workflow } from "../../api/model";
import { deleteWorkflow } from "../../api/workflows";
import { Button, IconButton } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import menu from "../../ui/Menu.module.css";
import { showToast } from "../../ui/toast";
import { DetailsDialog } from "./DetailsDialog";
import { PublishDialog } from "./PublishDialog";
import { useMayMake } from "./useNames";

type Asked = "publish" | "details" | "delete";

const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

export function WorkflowMenu({ workflow }: { workflow: Workflow }) {
    const t = useTranslations("workflows");
    const queries = useQueryClient();
    const navigate = useNavigate();
    const [asked, setAsked] = useState<Asked>();
    const close = () => setAsked(undefined);
    if (!useMayMake()) {
        return null;
    }
    const isNews = workflow.status !== "published" && workflow.status !== "generating";

    async function remove(): Promise<void> {
        await deleteWorkflow(workflow.id);
        showToast({ text: t("deleted", { name: workflow.name }) });
        await navigate({ to: "/workflows", replace: true });
        queries.removeQueries({ queryKey: ["workflow", workflow.id] });
        await queries.invalidateQueries({ queryKey: ["workflows"] });
    }

    return (
        <>
            {isNews && (
                <Button
                    look={workflow.published_version === 0 ? "filled" : "outlined"}
                    isDisabled={workflow.tasks.length === 0}
                    onPress={() => setAsked("publish")}
                >
                    {t("publish")}
                </Button>
            )}
            <MenuTrigger>
                <IconButton label={t("actions")}>
                    <Ellipsis size={20} strokeWidth={1.75} />
                </IconButton>
                <Popover placement="bottom end" className={menu.popover}>
                    <Menu className={menu.menu} aria-label={t("actions")}>
                        <MenuItem
                            className={menu.item}
                            textValue={t("details")}
                            onAction={() => setAsked("details")}
                        >
                            <Pencil {...icon} />
                            {t("details")}
                        </MenuItem>
                        <MenuItem
                            className={`${menu.item} ${menu.bad}`}
                            textValue={t("delete")}
                            onAction={() => setAsked("delete")}
                        >
                            <Trash2 {...icon} />
                            {t("delete")}
                        </MenuItem>
                    </Menu>
                </Popover>
            </MenuTrigger>
            {asked === "publish" && <PublishDialog workflow={workflow} onClose={close} />}
            {asked === "details" && <DetailsDialog workflow={workflow} onClose={close} />}
            {asked === "delete" && (
                <ConfirmDialog
                    title={t("deleteTitle", { name: workflow.name })}
                    deed={t("delete")}
                    onConfirm={remove}
                    onClose={close}
                >
                    {t("deleteText")}
                </ConfirmDialog>
            )}
        </>
    );
}
