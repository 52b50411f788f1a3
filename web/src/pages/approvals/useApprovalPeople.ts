// SPDX-License-Identifier: Apache-2.0
// What those are called who ask, decide and have decided, as far as the person may know them.
import { useQuery } from "@tanstack/react-query";
import { useFormatter, useTranslations } from "use-intl";
import { fetchAgentState, fetchChannelNames } from "../../api/calls";
import type { Approval } from "../../api/model";
import { readDecider, userOfActor } from "../../store/deciders";
import { withoutTurns } from "../../store/exactText";
import { useUserNames } from "../room/useUserNames";
import { useRoomName } from "../rooms/useRooms";
import { useSession } from "../shell/SessionContext";
import { roomQuery } from "./useApprovals";

const FRESH_MS = 5 * 60_000;

const ROLE_WORDS = { member: "members", operator: "operators", admin: "admins" } as const;

/** Only operators may see what channels are called. */
function useAgentName(roomId: string): string | undefined {
    const { me } = useSession();
    const isAllowed = me.user.role !== "member";
    const agent = useQuery({
        queryKey: ["agent of", roomId],
        queryFn: async () => (await fetchAgentState(roomId))?.agent ?? "",
        staleTime: FRESH_MS,
        enabled: isAllowed,
    });
    const names = useQuery({
        queryKey: ["channel names"],
        queryFn: fetchChannelNames,
        staleTime: FRESH_MS,
        enabled: isAllowed,
    });
    const id = agent.data;
    return id === undefined ? undefined : names.data?.[id];
}

export interface ApprovalPeople {
    agent: string;
    room: string;
    /** Whom one waits for, in words. */
    deciders: string;
    /** Somebody as the server names them: `user:ID`, a token. */
    nameOf: (actor: string) => string;
}

export function useApprovalPeople(asked: Approval): ApprovalPeople {
    const t = useTranslations("approvals");
    const format = useFormatter();
    const { me } = useSession();
    const room = useQuery(roomQuery(asked.room_id)).data;
    const users = useUserNames(me);
    const agent = useAgentName(asked.room_id);
    const nameOfRoom = useRoomName();

    function nameOfUser(id: string): string {
        const person = room?.participants.find((each) =>
            [each.id, each.external_id, each.identity_id].includes(id),
        );
        return withoutTurns(users.get(id) || person?.display_name || t("somebody"));
    }

    const deciders = asked.deciders.map((decider) => {
        const named = readDecider(decider);
        if ("role" in named) {
            return t(ROLE_WORDS[named.role]);
        }
        return "user" in named ? nameOfUser(named.user) : named.other;
    });
    return {
        agent: agent ? withoutTurns(agent) : t("anAgent"),
        room: withoutTurns(nameOfRoom(room ?? { id: asked.room_id, name: "", external_id: "" })),
        deciders:
            deciders.length > 0 ? format.list(deciders, { type: "disjunction" }) : t("whoever"),
        nameOf: (actor) => {
            const user = userOfActor(actor);
            if (user === undefined) {
                return t("program");
            }
            return user === me.user.id ? t("you") : nameOfUser(user);
        },
    };
}
