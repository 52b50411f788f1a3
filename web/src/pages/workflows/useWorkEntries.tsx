// SPDX-License-Identifier: Apache-2.0
// Workflows and executions for the palette: the newest ones, by their names.
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { ListChecks, Workflow } from "lucide-react";
import { useTranslations } from "use-intl";
import { fetchExecutions } from "../../api/workflows";
import type { Entry } from "../shell/Palette";
import { useWorkflows } from "./useWorkflow";

const RECENT = 20;
const icon = { size: 16, strokeWidth: 1.75, "aria-hidden": true } as const;

export function useWorkEntries(): Entry[] {
    const t = useTranslations();
    const router = useRouter();
    const { workflows } = useWorkflows();
    const executions = useQuery({
        queryKey: ["executions", "recent"],
        queryFn: () => fetchExecutions({}, undefined, RECENT),
    });
    return [
        {
            id: "workflows",
            text: t("nav.workflows"),
            icon: <Workflow {...icon} />,
            act: () => void router.navigate({ to: "/workflows" }),
        },
        {
            id: "executions",
            text: t("nav.executions"),
            icon: <ListChecks {...icon} />,
            act: () => void router.navigate({ to: "/executions" }),
        },
        ...workflows.slice(0, RECENT).map(({ id, name }) => ({
            id: `workflow-${id}`,
            text: t("palette.workflow", { name }),
            icon: <Workflow {...icon} />,
            act: () =>
                void router.navigate({ to: "/workflows/$workflowId", params: { workflowId: id } }),
        })),
        ...(executions.data?.items ?? []).map(({ id, name }) => ({
            id: `execution-${id}`,
            text: t("palette.execution", { name }),
            icon: <ListChecks {...icon} />,
            act: () =>
                void router.navigate({
                    to: "/executions/$executionId",
                    params: { executionId: id },
                }),
        })),
    ];
}
