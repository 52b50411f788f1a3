// SPDX-License-Identifier: Apache-2.0
// Ids of users and programs as names, as far as the person may know them.
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { fetchAgents, fetchSkills } from "../../api/workflows";
import { useUserNames } from "../room/useUserNames";
import { useSession } from "../shell/SessionContext";

/** Operators know everybody: whoever else did something was a program. Members know themselves. */
export function useWhoIs(): (id: string) => string {
    const t = useTranslations("workflows");
    const { me } = useSession();
    const users = useUserNames(me);
    return (written) => {
        const id = written.replace(/^(user|token):/, "");
        return users.get(id) ?? t(me.user.role === "member" ? "somebody" : "program");
    };
}

/** Operators and admins make workflows. */
export function useMayMake(): boolean {
    return useSession().me.user.role !== "member";
}

const FRESH_MS = 5 * 60_000;

export function useAgents() {
    return useQuery({
        queryKey: ["agents"],
        queryFn: fetchAgents,
        staleTime: FRESH_MS,
        enabled: useMayMake(),
    });
}

export function useSkills() {
    return useQuery({
        queryKey: ["skills"],
        queryFn: fetchSkills,
        enabled: useMayMake(),
    });
}
