// SPDX-License-Identifier: Apache-2.0
// What every check gets: a server, people with a browser each, and no tolerance for console noise.
import {
    type APIRequestContext,
    type BrowserContext,
    test as base,
    expect,
    type Page,
} from "@playwright/test";
import { Cluster } from "./cluster";
import { type Deployment, Server } from "./server";

export interface Person {
    name: string;
    csrf: string;
    context: BrowserContext;
    page: Page;
}

interface Fixtures {
    aiko: Person;
    ben: Person;
    /** Messages that a check brings about on purpose. */
    allowed: RegExp;
}

interface Shared {
    server: Deployment;
    /** The logins, so that a link that is good once serves all checks. */
    states: { aiko: string; ben: string };
}

/** A check that is made on several workers as well. */
export const onWorkersToo = { tag: "@workers" } as const;

export const PASSWORD = "correct horse battery";

/** The link of the first start: it signs in, and that is all. */
async function enterByLink(page: Page, link: string): Promise<void> {
    await page.goto(link);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL("**/rooms");
}

/** The link of an invitation: it asks for a password. */
export async function acceptInvitation(page: Page, link: string): Promise<void> {
    await page.goto(link);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByRole("button", { name: "Set password and sign in" }).click();
    await page.waitForURL("**/rooms");
}

export async function csrfOf(request: APIRequestContext, url: string): Promise<string> {
    const answer = await request.get(`${url}/api/v1/auth/me`);
    return (await answer.json()).csrf_token;
}

/** A request of the person's session, refused loudly. */
async function ask(person: Person, url: string, method: string, path: string, data?: object) {
    const { request } = person.context;
    person.csrf ||= await csrfOf(request, url);
    const answer = await request.fetch(`${url}/api/v1/${path}`, {
        method,
        data,
        headers: { "X-CSRF-Token": person.csrf },
    });
    expect(answer.ok(), `${method} ${path}: ${answer.status()}`).toBe(true);
    const text = await answer.text();
    return text === "" ? undefined : JSON.parse(text);
}

export function post(person: Person, url: string, path: string, data: object) {
    return ask(person, url, "POST", path, data);
}

export function patch(person: Person, url: string, path: string, data: object) {
    return ask(person, url, "PATCH", path, data);
}

export function put(person: Person, url: string, path: string, data: object) {
    return ask(person, url, "PUT", path, data);
}

export function remove(person: Person, url: string, path: string) {
    return ask(person, url, "DELETE", path);
}

export function get(person: Person, url: string, path: string) {
    return ask(person, url, "GET", path);
}

/** Everything that a room holds, as the server has it. */
export async function eventsOf(person: Person, url: string, roomId: string) {
    const events: StoredEvent[] = [];
    let after = -1;
    for (let next: number | null = after; next !== null; ) {
        const page = await get(
            person,
            url,
            `rooms/${roomId}/events?after_index=${after}&limit=500`,
        );
        events.push(...page.events);
        next = page.next_index;
        after = next ?? after;
    }
    return events;
}

export interface StoredEvent {
    id: string;
    index: number;
    type: string;
    status: string;
    content: { type: string; body?: string };
    idempotency_key?: string;
    metadata: Record<string, unknown>;
}

/** Which user a person is. */
export async function userOf(person: Person, url: string): Promise<{ id: string; email: string }> {
    return (await get(person, url, "auth/me")).user;
}

/** Makes somebody take part in a room, as its people panel does. */
export async function bringIn(
    owner: Person,
    url: string,
    roomId: string,
    guest: Person,
): Promise<void> {
    const { id } = await userOf(guest, url);
    await post(owner, url, `rooms/${roomId}/participants`, {
        id,
        display_name: guest.name,
        role: "member",
        status: "active",
    });
}

export const test = base.extend<Fixtures, Shared>({
    server: [
        async ({}, use) => {
            const server = process.env.BROWSE_CLUSTER ? new Cluster() : new Server();
            try {
                await server.start();
                await use(server);
            } finally {
                await server.stop();
            }
        },
        { scope: "worker" },
    ],
    states: [
        async ({ server, browser }, use) => {
            const context = await browser.newContext({ locale: "en-US" });
            const page = await context.newPage();
            await enterByLink(page, server.link);
            const csrf = await csrfOf(context.request, server.url);
            const invited = await context.request.post(`${server.url}/api/v1/users`, {
                data: { email: "ben@example.org", display_name: "Ben", role: "operator" },
                headers: { "X-CSRF-Token": csrf },
            });
            const { link } = await invited.json();
            const aiko = JSON.stringify(await context.storageState());
            await context.clearCookies();
            await acceptInvitation(page, new URL(link, server.url).href);
            const ben = JSON.stringify(await context.storageState());
            await context.close();
            await use({ aiko, ben });
        },
        { scope: "worker" },
    ],
    allowed: [/^$/, { option: true }],
    aiko: async ({ browser, states, allowed }, use) => {
        const person = await open("Aiko", states.aiko, browser, allowed);
        await use(person);
        await person.context.close();
    },
    ben: async ({ browser, states, allowed }, use) => {
        const person = await open("Ben", states.ben, browser, allowed);
        await use(person);
        await person.context.close();
    },
});

async function open(
    name: string,
    state: string,
    browser: import("@playwright/test").Browser,
    allowed: RegExp,
): Promise<Person> {
    const context = await browser.newContext({ storageState: JSON.parse(state), locale: "en-US" });
    context.on("page", (page) => listen(page, allowed));
    const page = await context.newPage();
    return { name, csrf: "", context, page };
}

/** Every warning and error of the console fails the check: a clean page has none. */
function listen(page: Page, allowed: RegExp): void {
    page.on("pageerror", (error) => expect.soft(error.message, "page error").toBe(""));
    page.on("console", (message) => {
        const isNoise = message.type() === "error" || message.type() === "warning";
        if (isNoise && !allowed.test(message.text())) {
            expect.soft(message.text(), "console").toBe("");
        }
    });
}

/** Many messages of one person, over a socket of their own: those are not counted as requests. */
export async function fillRoom(
    person: Person,
    roomId: string,
    bodies: readonly string[],
): Promise<void> {
    const refused = await person.page.evaluate(
        ({ roomId, bodies }) =>
            new Promise<string[]>((resolve, reject) => {
                const socket = new WebSocket(`ws://${location.host}/api/v1/ws`);
                const problems: string[] = [];
                let asked = 0;
                let answers = 0;
                // The server keeps 64 sends of a socket waiting and refuses more.
                const sendSome = () => {
                    for (; asked < bodies.length && asked - answers < 32; asked += 1) {
                        const event = { content: { type: "text", body: bodies[asked] } };
                        const said = { type: "send", ref: `f${asked}`, room_id: roomId, event };
                        socket.send(JSON.stringify(said));
                    }
                };
                socket.onclose = () => reject(new Error("the socket closed"));
                socket.onmessage = ({ data }) => {
                    const frame = JSON.parse(data);
                    if (frame.type === "hello") {
                        sendSome();
                        return;
                    }
                    answers += 1;
                    sendSome();
                    if (frame.type === "problem") {
                        problems.push(data);
                    }
                    if (answers === bodies.length) {
                        socket.onclose = null;
                        socket.close();
                        resolve(problems);
                    }
                };
            }),
        { roomId, bodies },
    );
    expect(refused).toEqual([]);
}

/** A new room, open in the browser of the one who makes it. */
export async function newRoom(person: Person, url: string, name: string): Promise<string> {
    const { page } = person;
    await page.goto(`${url}/rooms`);
    await page.getByRole("button", { name: "New room" }).first().click();
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Create room" }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    return new URL(page.url()).pathname.split("/").pop() ?? "";
}

export async function enterRoom(person: Person, url: string, roomId: string): Promise<void> {
    await person.page.goto(`${url}/rooms/${roomId}`);
    await composerOf(person.page).waitFor();
}

export function composerOf(page: Page) {
    return page.getByRole("textbox", { name: /^Message to/ });
}

export async function say(page: Page, text: string): Promise<void> {
    await composerOf(page).fill(text);
    await composerOf(page).press("Enter");
}

/** Waits until the timeline looks the same in a few frames in a row. */
export async function settled(page: Page): Promise<void> {
    await page.getByTestId("timeline").evaluate(async (place) => {
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        const look = () =>
            [...place.querySelectorAll<HTMLElement>("[data-index]")]
                .map((row) => `${row.dataset.index}@${row.getBoundingClientRect().top}`)
                .join();
        let held = look();
        for (let same = 0; same < 5; ) {
            await frame();
            const next = look();
            same = next === held ? same + 1 : 0;
            held = next;
        }
    });
}

/** What the page holds, from its first to its last row: scrolls through all of it. */
export async function shownTexts(page: Page): Promise<Map<number, string>> {
    const shown = new Map<number, string>();
    const timeline = page.getByTestId("timeline");
    await timeline.evaluate((place) => place.scrollTo({ top: 0 }));
    for (let step = 0; step < 2_000; step += 1) {
        await settled(page);
        const { rows, isAtEnd } = await timeline.evaluate((place) => ({
            rows: [...place.querySelectorAll<HTMLElement>("[data-event-index]")].map((row) => [
                Number(row.dataset.eventIndex),
                row.querySelector("article > div + div")?.lastElementChild?.textContent ?? "",
            ]),
            isAtEnd: place.scrollTop + place.clientHeight >= place.scrollHeight - 1,
        }));
        for (const [index, text] of rows as [number, string][]) {
            shown.set(index, text);
        }
        if (isAtEnd) {
            break;
        }
        await timeline.evaluate((place) => place.scrollBy({ top: place.clientHeight * 0.8 }));
    }
    return shown;
}

export { expect };
