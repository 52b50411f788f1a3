// SPDX-License-Identifier: Apache-2.0
// Coming in and going out: the requests that are made before there is a page to be on.
import { answer, client } from "./client";
import type { Asker, Me } from "./model";
import { Problem } from "./problem";

/** A cookie always stands for a person; a program's token has no business with a page. */
async function asPerson(asked: Promise<Asker>): Promise<Me> {
    const { user, ...asker } = await asked;
    if (!user) {
        throw new Problem({ code: "UNAUTHENTICATED", status: 401 });
    }
    return { ...asker, user };
}

export function fetchMe(): Promise<Me> {
    return asPerson(answer(client.GET("/api/v1/auth/me")));
}

export function logInWithPassword(email: string, password: string): Promise<Me> {
    return asPerson(answer(client.POST("/api/v1/auth/login", { body: { email, password } })));
}

export function logInWithLink(linkToken: string): Promise<Me> {
    return asPerson(answer(client.POST("/api/v1/auth/login", { body: { link_token: linkToken } })));
}

export function setPassword(linkToken: string, password: string): Promise<Me> {
    return asPerson(
        answer(client.POST("/api/v1/auth/password", { body: { link_token: linkToken, password } })),
    );
}

export function logOut(): Promise<unknown> {
    return answer(client.POST("/api/v1/auth/logout"));
}
