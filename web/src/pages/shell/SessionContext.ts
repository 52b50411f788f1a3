// SPDX-License-Identifier: Apache-2.0
// Hands the login's session to every page below the shell.
import { createContext, useContext } from "react";
import type { Session } from "../../store/session";

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
    const session = useContext(SessionContext);
    if (!session) {
        throw new Error("a page behind the login stands outside of the shell");
    }
    return session;
}
