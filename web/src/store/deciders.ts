// SPDX-License-Identifier: Apache-2.0
// Who decides what an agent asks. The server judges every decision by the same rule; the page only offers by it.
import type { Approval, Me, Participant, UserRole } from "../api/model";

const ROLES: readonly UserRole[] = ["member", "operator", "admin"];
const ROLE = "role:";

function isNamed(decider: string, { user }: Me): boolean {
    if (!decider.startsWith(ROLE)) {
        return decider === user.id;
    }
    const wanted = ROLES.findIndex((role) => role === decider.slice(ROLE.length));
    return wanted >= 0 && ROLES.indexOf(user.role) >= wanted;
}

/**
 * `own` is how the person takes part in the room: `null` where it is known that they don't, undefined as long as it
 * is not known. Then it may be undefined as well whether they decide.
 */
export function mayDecide(
    { deciders }: Pick<Approval, "deciders">,
    me: Me,
    own: Participant | null | undefined,
): boolean | undefined {
    if (deciders.length > 0) {
        return deciders.some((decider) => isNamed(decider, me));
    }
    if (me.user.role !== "member") {
        return true;
    }
    return own === undefined ? undefined : own?.status === "active" && own.role !== "observer";
}

/** A decider as it is spoken of: a person, or all with a role. */
export type Decider = { user: string } | { role: UserRole } | { other: string };

export function readDecider(decider: string): Decider {
    if (!decider.startsWith(ROLE)) {
        return { user: decider };
    }
    const role = ROLES.find((each) => each === decider.slice(ROLE.length));
    return role ? { role } : { other: decider };
}

/** Who decided, as the server names them: `user:ID`, a token, or nobody. */
export function userOfActor(actor: string): string | undefined {
    return actor.startsWith("user:") ? actor.slice("user:".length) : undefined;
}
