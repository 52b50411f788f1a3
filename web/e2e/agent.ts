// SPDX-License-Identifier: Apache-2.0
// Agents that play a script, in rooms of their own: what they ask is asked by the real server.
import { get, type Person, patch, post, put, userOf } from "./check";

export interface Asking {
    roomId: string;
    /** What the agent asks, once it does. */
    id: string;
}

/** An agent whose script is made of these blocks. */
export async function makeAgent(
    admin: Person,
    url: string,
    name: string,
    blocks: string,
    more: object = {},
): Promise<string> {
    const instructions = `model-script 1\n${blocks}\notherwise\n    say You said: $user\n`;
    const agent = {
        provider: "scripted",
        instructions,
        tools: ["read_messages"],
        requires_approval: ["read_messages"],
        ...more,
    };
    const { channel } = await post(admin, url, "channels", { type: "agent", name, agent });
    return channel.id;
}

/** A room that the agent drives, with its maker and the others in it. */
export async function makeSession(
    owner: Person,
    url: string,
    name: string,
    agent: string,
    others: readonly Person[] = [],
): Promise<string> {
    const { id } = await post(owner, url, "rooms", {
        name,
        channels: [{ channel_id: "web" }, { channel_id: agent }],
    });
    for (const person of others) {
        const user = await userOf(person, url);
        await post(owner, url, `rooms/${id}/participants`, {
            id: user.id,
            display_name: person.name,
            role: "member",
            status: "active",
        });
    }
    await put(owner, url, `rooms/${id}/session`, { agent });
    return id;
}

/** Says something in the room, and waits until the agent asks. */
export async function askedBy(
    person: Person,
    url: string,
    roomId: string,
    words: string,
): Promise<string> {
    await post(person, url, `rooms/${roomId}/events`, { content: { type: "text", body: words } });
    for (let tries = 0; tries < 200; tries += 1) {
        const { approvals } = await get(person, url, `approvals?status=pending&room_id=${roomId}`);
        if (approvals.length > 0) {
            return approvals[0].id;
        }
        await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`the agent of ${roomId} did not ask`);
}

export function decide(
    person: Person,
    url: string,
    id: string,
    status: string,
    response?: unknown,
) {
    return patch(person, url, `approvals/${id}`, { status, response });
}

/** What the agent said in the room, as the server has it. */
export async function saidIn(person: Person, url: string, roomId: string): Promise<string[]> {
    const { events } = await get(person, url, `rooms/${roomId}/events?limit=100`);
    return events
        .filter((event: { content: { type: string } }) => event.content.type === "text")
        .map((event: { content: { body: string } }) => event.content.body);
}
