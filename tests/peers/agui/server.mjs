// SPDX-License-Identifier: Apache-2.0
// The server that `test_agui.py` has started, as these tests ask it; and something that cuts its streams.

import assert from "node:assert/strict";
import { createServer } from "node:http";

const base = `${process.env.CONVENE_URL}/api/v1`;
export const headers = { Authorization: `Bearer ${process.env.CONVENE_TOKEN}` };

export async function ask(method, path, body, expected = 200) {
    const sent = { method, headers: { ...headers, "Content-Type": "application/json" } };
    if (body !== undefined) sent.body = JSON.stringify(body);
    const answer = await fetch(`${base}/${path}`, sent);
    const text = await answer.text();
    assert.equal(answer.status, expected, `${method} ${path}: ${text}`);
    return JSON.parse(text);
}

/** A room that an agent with this script drives. */
export async function makeSession(script, tools = []) {
    const settings = { provider: "scripted", instructions: `model-script 1\npace 5ms\n${script}`, tools };
    const agent = (await ask("POST", "channels", { type: "agent", name: "Helper", agent: settings }, 201)).channel.id;
    const channels = [{ channel_id: "web" }, { channel_id: agent }];
    const room = (await ask("POST", "rooms", { channels }, 201)).id;
    await ask("PUT", `rooms/${room}/session`, { agent });
    return { agent, room };
}

export function urlOf(room, policy = "cancel", at = base) {
    return `${at}/rooms/${room}/agent?on_disconnect=${policy}`;
}

/** The room's messages in the form in which a client has them. */
export async function messagesIn({ agent, room }) {
    const { events } = await ask("GET", `rooms/${room}/events?after_index=-1&limit=100`);
    return events.map((event) => {
        const { content } = event;
        if (content.type === "tool_call") {
            const text = content.error ? content.error : content.result;
            return { id: event.id, role: "tool", call: content.tool_id, text };
        }
        // A client's message is known by the id that the client gave it.
        const isOwn = event.source.channel_id === agent;
        const id = isOwn ? event.id : event.idempotency_key.replace(/^agui:/, "");
        return { id, role: isOwn ? "assistant" : "user", text: content.body };
    });
}

/** What the client holds, in the same form: thinking is its own, and calls are known by their results. */
export function messagesOf(client) {
    return client.messages
        .filter((one) => one.role !== "reasoning" && (one.role !== "assistant" || one.content))
        .map(({ id, role, content, toolCallId }) =>
            role === "tool" ? { id, role, call: toolCallId, text: content } : { id, role, text: content },
        );
}

/** Passes requests on, and ends the first answer that streams with its first piece of text: in order, or by breaking off. */
export async function startCutting(how) {
    let left = 1;
    const gate = createServer(async (request, answer) => {
        const chunks = await request.toArray();
        const { host, ...sent } = request.headers;
        const init = { method: request.method, headers: sent };
        if (chunks.length > 0) init.body = Buffer.concat(chunks);
        const given = await fetch(`${process.env.CONVENE_URL}${request.url}`, init);
        answer.writeHead(given.status, { "Content-Type": given.headers.get("content-type") ?? "text/plain" });
        for await (const piece of given.body ?? []) {
            const text = Buffer.from(piece).toString();
            const place = text.indexOf("TEXT_MESSAGE_CONTENT");
            if (left > 0 && place >= 0) {
                --left;
                // In the middle of a frame.
                answer.write(text.slice(0, place + 10));
                if (how === "ends") answer.end();
                else answer.destroy();
                return;
            }
            answer.write(piece);
        }
        answer.end();
    });
    await new Promise((listening) => gate.listen(0, "127.0.0.1", listening));
    return { at: `http://127.0.0.1:${gate.address().port}/api/v1`, stop: () => gate.close(), cuts: () => 1 - left };
}
