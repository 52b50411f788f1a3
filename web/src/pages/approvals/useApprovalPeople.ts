// SPDX-License-Identifier: Apache-2.0
// What those are called who ask, decide and have decided, as far as the person may know them.
import { useQuery } from "@tanstack/react-query";
import { useFormatter, useTranslations } from "use-intl";
import type { Approval } from "../../api/model";
import { readDecider, userOfActor } from "../../store/deciders";
import { withoutTurns } from "../../store/exactText";
import { useUserNames } from "../room/useUserNames";
import { useRoomName } from "../rooms/useRooms";
import { useSession } from "../shell/SessionContext";
import { roomQuery } from "./useApprovals";

const ROLE_WORDS = { member: "members", operator: "operators", admin: "admins" } as const;

export interface ApprovalPeople {
    agent: string;
    /** In the middle of which it asks; empty: of none that is known. */
    task: string;
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
    const { agent_name: agent, task_title: task } = asked.asked_by;
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
        agent: withoutTurns(agent) || t("anAgent"),
        task: withoutTurns(task),
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
