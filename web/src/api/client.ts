// SPDX-License-Identifier: Apache-2.0
// The one HTTP client of the page: typed by the API's description, with the session's CSRF token.
import createClient, { type Middleware } from "openapi-fetch";
import { problemFromAnswer, problemOf } from "./problem";
import type { paths } from "./types";

let csrfToken = "";
let onUnauthenticated: () => void = () => undefined;
let isRenewing = false;

/** Who logged in brings the token that every writing request carries. */
export function setCsrfToken(token: string): void {
    csrfToken = token;
}

/** Called when the server no longer knows the session. */
export function whenUnauthenticated(act: () => void): void {
    onUnauthenticated = act;
}

/** What a writing request carries that does not go through the client. */
export function writingHeaders(): Record<string, string> {
    return csrfToken === "" ? {} : { "X-CSRF-Token": csrfToken };
}

/** A request, or the socket, was told that nobody is signed in. */
export function reportUnauthenticated(): void {
    if (!isRenewing) {
        onUnauthenticated();
    }
}

/** While `work` puts another session in the place of this one, the end of this one is no news. */
export async function renewSession(work: () => Promise<void>): Promise<void> {
    isRenewing = true;
    try {
        await work();
    } finally {
        isRenewing = false;
    }
}

const session: Middleware = {
    onRequest({ request }) {
        if (request.method !== "GET" && request.method !== "HEAD" && csrfToken !== "") {
            request.headers.set("X-CSRF-Token", csrfToken);
        }
        return request;
    },
    onResponse({ response, schemaPath }) {
        // Logging in with a wrong password is refused with the same status and is no lost session.
        if (response.status === 401 && !schemaPath.startsWith("/api/v1/auth/")) {
            reportUnauthenticated();
        }
    },
};

export const client = createClient<paths>({ baseUrl: "/" });
client.use(session);

/** The body of an answer, or an exception: a Problem in every case. */
export async function answer<Body>(
    call: Promise<{ data?: Body; error?: unknown; response: Response }>,
): Promise<Body> {
    const { data, error, response } = await call.catch((thrown: unknown) => {
        throw problemOf(thrown);
    });
    if (!response.ok) {
        throw problemFromAnswer(response.status, error);
    }
    return data as Body;
}
