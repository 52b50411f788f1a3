// SPDX-License-Identifier: Apache-2.0
// The published AG-UI client, unmodified: what it holds after its runs is what the room has.

import assert from "node:assert/strict";
import { test } from "node:test";

import { HttpAgent } from "@ag-ui/client";

import { readingOn } from "../../../examples/agui/reading_on.mjs";
import { ask, headers, makeSession, messagesIn, messagesOf, startCutting, urlOf } from "./server.mjs";

let asked = 0;

function clientOf({ room }, more = {}) {
    return new HttpAgent({ url: urlOf(room), headers, threadId: room, ...more });
}

function say(client, text) {
    asked += 1;
    client.addMessage({ id: `asked-${asked}`, role: "user", content: text });
}

/** Runs it, and answers the events that the client took. */
async function run(client, parameters = {}) {
    const events = [];
    await client.runAgent(parameters, { onEvent: ({ event }) => void events.push(event) });
    return events;
}

const outcomeOf = (events) => events.findLast((one) => one.type === "RUN_FINISHED")?.outcome;

test("text, thinking and calls of the agent's own tools", async () => {
    const session = await makeSession(
        `otherwise
            think Somebody wants something.
            say I write it down.
            call add_task {"title": "$user"}
            call observe {"text": "busy"}
            say It says $result
        `,
        ["add_task", "observe"],
    );
    const client = clientOf(session);
    say(client, "Call Ann back");
    const events = await run(client);
    assert.equal(outcomeOf(events).type, "success");
    say(client, "And Ben");
    await run(client);
    assert.deepEqual(messagesOf(client), await messagesIn(session));
    const thoughts = client.messages.filter((one) => one.role === "reasoning").map((one) => one.content);
    assert.deepEqual(thoughts, ["Somebody wants something.", "Somebody wants something."]);
    const calls = client.messages.flatMap((one) => one.toolCalls ?? []).map((one) => one.function);
    assert.deepEqual(calls.map((one) => one.name), ["add_task", "observe", "add_task", "observe"]);
    assert.deepEqual(JSON.parse(calls[2].arguments), { title: "And Ben" });
    const { tasks } = await ask("GET", `rooms/${session.room}/tasks`);
    assert.deepEqual(tasks.map((one) => one.title).sort(), ["And Ben", "Call Ann back"]);
});

test("a tool of the client's: its call ends the run, its result comes with the next", async () => {
    const session = await makeSession(`otherwise
            say Which one?
            call pick {"of": "colours"}
            say You picked $result.
        `);
    const client = clientOf(session);
    const tools = [{ name: "pick", description: "Lets the user pick", parameters: { type: "object" } }];
    say(client, "Paint it");
    const outcome = outcomeOf(await run(client, { tools }));
    const [call] = client.messages.flatMap((one) => one.toolCalls ?? []);
    assert.deepEqual(outcome.pendingToolCallIds, [call.id]);
    const { open_calls: open } = await ask("GET", `rooms/${session.room}/session`);
    assert.deepEqual(open.map((one) => one.id), [call.id]);

    client.addMessage({ id: "picked", role: "tool", toolCallId: call.id, content: "blue" });
    assert.equal(outcomeOf(await run(client, { tools })).pendingToolCallIds, undefined);
    const stored = await messagesIn(session);
    assert.equal(stored.at(-1).text, "You picked blue.");
    // The result's message has the client's own id here, and the event's there.
    const nameless = (messages) => messages.map((one) => (one.role === "tool" ? { ...one, id: "" } : one));
    assert.deepEqual(nameless(messagesOf(client)), nameless(stored));
});

test("abort and retry, again and again", async () => {
    const session = await makeSession(`when says "go on"
            say I think about it and about it
            wait 60s
        otherwise
            say Done.
        `);
    const client = clientOf(session);
    for (let round = 0; round < 10; ++round) {
        say(client, `go on ${round}`);
        await client.runAgent({}, { onTextMessageContentEvent: () => client.abortRun() });
    }
    say(client, "enough");
    await run(client);
    const [held, stored] = [messagesOf(client), await messagesIn(session)];
    assert.deepEqual(held.map((one) => one.id), stored.map((one) => one.id));
    // What had not reached the client when it left is stored all the same.
    held.forEach((one, i) => assert.ok(stored[i].text.startsWith(one.text), `${stored[i].text}, ${one.text}`));
    assert.equal(stored.at(-1).text, "Done.");
});

test("a run that is cancelled by somebody else says so", async () => {
    const session = await makeSession(`otherwise
            say Well,
            wait 60s
        `);
    const client = clientOf(session);
    say(client, "Is it?");
    let cancelled;
    const events = [];
    await client.runAgent({}, {
        onEvent: ({ event }) => void events.push(event),
        onTextMessageContentEvent: () => {
            cancelled ??= ask("POST", `rooms/${session.room}/agent/cancel`, {}, 202);
        },
    });
    await cancelled;
    assert.equal(outcomeOf(events).type, "cancelled");
    assert.deepEqual(messagesOf(client), await messagesIn(session));
});

test("a run that fails ends with its code, and keeps what was said", async () => {
    const session = await makeSession(`when says "break"
            say I am about to
            fail cut-off
        otherwise
            say Fine.
        `);
    const client = clientOf(session);
    say(client, "break");
    const errors = [];
    await client.runAgent({}, { onRunErrorEvent: ({ event }) => void errors.push(event.code) });
    assert.deepEqual(errors, ["ANSWER_CUT_OFF"]);
    say(client, "again");
    await run(client);
    assert.deepEqual(messagesOf(client), await messagesIn(session));
});

test("the session's state is the client's", async () => {
    const session = await makeSession("otherwise\n say Noted.\n");
    const client = clientOf(session, { initialState: { page: "orders", "temp:draft": 1 } });
    say(client, "Look");
    await run(client);
    const other = clientOf(session);
    say(other, "Where am I?");
    await run(other);
    assert.deepEqual(other.state, { page: "orders" });
});

test("a second run is refused before any stream, with the reason", async () => {
    const session = await makeSession("otherwise\n say Well,\n wait 60s\n");
    const first = clientOf(session);
    say(first, "One?");
    let refused;
    await first.runAgent({}, {
        onTextMessageContentEvent: () => {
            const second = clientOf(session);
            say(second, "Two?");
            refused ??= second.runAgent().then(
                () => assert.fail("it was not refused"),
                (error) => {
                    first.abortRun();
                    return error;
                },
            );
        },
    });
    assert.match(String(await refused), /409/);
});

for (const how of ["ends", "breaks"]) {
    test(`a stream that ${how} in the middle is read on`, async () => {
        const session = await makeSession(`otherwise
                say One two three four five
                wait 300ms
                say six seven.
            `);
        const gate = await startCutting(how);
        try {
            const url = urlOf(session.room, "detach", gate.at);
            const client = clientOf(session, { url, fetch: readingOn({ pause: 50 }) });
            say(client, "Count");
            assert.equal(outcomeOf(await run(client)).type, "success");
            assert.equal(gate.cuts(), 1);
            assert.deepEqual(messagesOf(client), await messagesIn(session));
        } finally {
            gate.stop();
        }
    });
}
