// SPDX-License-Identifier: Apache-2.0
// Agents for checks: each plays a script, in a room that it drives.
import type { Page } from "@playwright/test";
import { get, type Person, post, put } from "./check";

export interface AgentRoom {
    room: string;
    agent: string;
}

const TOOLS = ["add_task", "observe", "read_messages"];

/** Registers an agent; `script` is what comes behind the first lines of a model script. */
export async function makeAgent(
    admin: Person,
    url: string,
    name: string,
    script: string,
    settings: object = {},
): Promise<string> {
    const instructions = `model-script 1\npace 30ms\n${script}`;
    const agent = { provider: "scripted", instructions, tools: TOOLS, ...settings };
    const made = await post(admin, url, "channels", { type: "agent", name, agent });
    return made.channel.id;
}

export async function agentRoom(
    admin: Person,
    url: string,
    name: string,
    script: string,
    settings: object = {},
): Promise<AgentRoom> {
    const agent = await makeAgent(admin, url, "Helper", script, settings);
    const channels = [{ channel_id: "web" }, { channel_id: agent, metadata: { name: "Helper" } }];
    const room = (await post(admin, url, "rooms", { name, channels })).id;
    await put(admin, url, `rooms/${room}/session`, { agent });
    return { room, agent };
}

export interface StoredRun {
    id: string;
    status: string;
    last_frame: number;
}

/** The room's runs, the last one first. */
export async function runsOf(person: Person, url: string, room: string): Promise<StoredRun[]> {
    return (await get(person, url, `rooms/${room}/runs`)).runs;
}

/** What the timeline shows of messages and of runs, line by line, without times, and without the line above what is unread. */
export function linesOf(page: Page): Promise<string[]> {
    return page.getByTestId("timeline").evaluate((place) =>
        [...place.querySelectorAll<HTMLElement>("[data-row-focus]")]
            .filter((row) => row.querySelector("[class*=unread]") === null)
            .sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index))
            .map((row) => {
                const copy = row.cloneNode(true) as HTMLElement;
                for (const aside of copy.querySelectorAll(
                    "time, [class*=actions], [class*=side]",
                )) {
                    aside.remove();
                }
                // Who speaks is said again below the line above what is unread.
                const text = (copy.textContent ?? "").trim().replace(/^Helper/, "");
                return text.replace(/( for| ·) [\d.]+ sec/g, "").trim();
            }),
    );
}
