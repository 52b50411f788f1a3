// SPDX-License-Identifier: Apache-2.0
// What can be done with an execution: whoever started it, and admins, end it or delete it.
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Ellipsis, Link as LinkIcon, Printer, Trash2 } from "lucide-react";
import { useState } from "react";
import { Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useTranslations } from "use-intl";
import type { WorkflowExecution } from "../../api/model";
import { cancelExecution, deleteExecution } from "../../api/workflows";
import type { ExecutionState } from "../../store/executionState";
import { Button, IconButton } from "../../ui/Button";
import button from "../../ui/Button.module.css";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { copyText } from "../../ui/clipboard";
import menu from "../../ui/Menu.module.css";
import { showToast } from "../../ui/toast";
import { useSession } from "../shell/SessionContext";
import styles from "./Executions.module.css";

type Asked = "cancel" | "delete";

const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

export interface ExecutionActionsProps {
    execution: WorkflowExecution;
    state: ExecutionState;
    /** Where the question is. */
    isInChat: boolean;
}

export function ExecutionActions({ execution, state, isInChat }: ExecutionActionsProps) {
    const t = useTranslations("executions");
    const queries = useQueryClient();
    const navigate = useNavigate();
    const { me } = useSession();
    const [asked, setAsked] = useState<Asked>();
    const isOwn = execution.initiator === me.user.id || me.user.role === "admin";
    const { id, name } = execution;

    async function cancel(): Promise<void> {
        queries.setQueryData(["execution", id], await cancelExecution(id));
        await queries.invalidateQueries({ queryKey: ["executions"] });
    }

    async function remove(): Promise<void> {
        await deleteExecution(id);
        showToast({ text: t("deleted", { name }) });
        await navigate({ to: "/executions", search: {}, replace: true });
        queries.removeQueries({ queryKey: ["execution", id] });
        await queries.invalidateQueries({ queryKey: ["executions"] });
    }

    return (
        <>
            {state.kind === "waiting" && !isInChat && (
                <Link
                    to="/executions/$executionId"
                    params={{ executionId: id }}
                    search={{ tab: "chat" }}
                    className={`${button.button} ${button.filled} ${styles.toQuestion}`}
                >
                    {t("toQuestion")}
                </Link>
            )}
            {execution.status === "running" && isOwn && (
                <Button look="bad" onPress={() => setAsked("cancel")}>
                    {t("cancel")}
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
                            textValue={t("copyLink")}
                            onAction={() =>
                                void copyText(`${location.origin}/executions/${id}`).then(
                                    (isCopied) => isCopied && showToast({ text: t("copied") }),
                                )
                            }
                        >
                            <LinkIcon {...icon} />
                            {t("copyLink")}
                        </MenuItem>
                        <MenuItem
                            className={menu.item}
                            textValue={t("print")}
                            onAction={() => {
                                void navigate({
                                    to: "/executions/$executionId",
                                    params: { executionId: id },
                                    search: { tab: "history" },
                                }).then(() => setTimeout(() => print()));
                            }}
                        >
                            <Printer {...icon} />
                            {t("print")}
                        </MenuItem>
                        {isOwn && (
                            <MenuItem
                                className={`${menu.item} ${menu.bad}`}
                                textValue={t("delete")}
                                onAction={() => setAsked("delete")}
                            >
                                <Trash2 {...icon} />
                                {t("delete")}
                            </MenuItem>
                        )}
                    </Menu>
                </Popover>
            </MenuTrigger>
            {asked === "cancel" && (
                <ConfirmDialog
                    title={t("cancelTitle", { name })}
                    deed={t("cancel")}
                    onConfirm={cancel}
                    onClose={() => setAsked(undefined)}
                >
                    {t("cancelText")}
                </ConfirmDialog>
            )}
            {asked === "delete" && (
                <ConfirmDialog
                    title={t("deleteTitle", { name })}
                    deed={t("delete")}
                    onConfirm={remove}
                    onClose={() => setAsked(undefined)}
                >
                    {t("deleteText")}
                </ConfirmDialog>
            )}
        </>
    );
}
