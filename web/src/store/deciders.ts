// SPDX-License-Identifier: Apache-2.0
// Whom a question of an agent is for, and who decided it, read from the words of the server.
import type { UserRole } from "../api/model";

const ROLES: readonly UserRole[] = ["member", "operator", "admin"];
const ROLE = "role:";

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
