// SPDX-License-Identifier: Apache-2.0
// One run as its stream tells it: what is said, thought and called, in order, and how it ended.
import type { RunEvent, RunFrame } from "../live/runStream";

export interface TextItem {
    readonly kind: "text";
    /** The id that the stored event has. */
    readonly id: string;
    readonly text: string;
    readonly isOpen: boolean;
}

export interface ThinkingItem {
    readonly kind: "thinking";
    readonly id: string;
    readonly text: string;
    readonly isOpen: boolean;
    readonly since: number | undefined;
    /** Undefined while it goes on, and where it was not watched. */
    readonly durationMs: number | undefined;
}

export interface CallItem {
    readonly kind: "call";
    readonly id: string;
    readonly name: string;
    /** A JSON object in writing. */
    readonly args: string;
    readonly isOpen: boolean;
    readonly result: string | undefined;
    readonly since: number | undefined;
    readonly durationMs: number | undefined;
}

export interface TakeoverItem {
    readonly kind: "takeover";
    readonly id: string;
}

export type RunItem = TextItem | ThinkingItem | CallItem | TakeoverItem;

export type RunOutcome =
    | { readonly type: "finished" | "cancelled" | "interrupt" }
    | { readonly type: "failed"; readonly code: string };

export interface RunView {
    readonly id: string;
    readonly items: readonly RunItem[];
    /** The name of what it is at, where it says so. */
    readonly step: string;
    /** Undefined while it runs. */
    readonly outcome: RunOutcome | undefined;
    readonly lastFrame: number;
    /** It was over before it was read: what was said then stands in the room, or was taken away there. */
    readonly isPast: boolean;
    /** The texts that have come to stand in the room: they are shown from there, and never again from here. */
    readonly stored: ReadonlySet<string>;
}

export function newRun(id: string, isPast = false): RunView {
    return {
        id,
        items: [],
        step: "",
        outcome: undefined,
        lastFrame: -1,
        isPast,
        stored: new Set(),
    };
}

export interface FramePlace {
    readonly run: string;
    readonly number: number;
}

/** Where a frame stands: its id is `{run}-{number}`. */
export function placeOf(frameId: string): FramePlace {
    const at = frameId.lastIndexOf("-");
    return { run: frameId.slice(0, at), number: Number(frameId.slice(at + 1)) };
}

function textOf(event: RunEvent, name: string): string {
    const value = event[name];
    return typeof value === "string" ? value : "";
}

type Change<Item> = (item: Item) => Item;

/** The newest item of a kind and an id, changed; made first where there is none. */
function withItem<Item extends RunItem>(run: RunView, made: Item, change: Change<Item>): RunView {
    const at = run.items.findLastIndex(({ kind, id }) => kind === made.kind && id === made.id);
    return at < 0
        ? { ...run, items: [...run.items, change(made)] }
        : { ...run, items: run.items.with(at, change(run.items[at] as Item)) };
}

/** A time in milliseconds, or undefined for what was not watched as it happened. */
type Moment = number | undefined;

function between(since: Moment, now: Moment): number | undefined {
    return since === undefined || now === undefined ? undefined : now - since;
}

function newText(id: string): TextItem {
    return { kind: "text", id, text: "", isOpen: true };
}

function newThinking(id: string, now: Moment): ThinkingItem {
    return { kind: "thinking", id, text: "", isOpen: true, since: now, durationMs: undefined };
}

function newCall(id: string, now: Moment): CallItem {
    return {
        kind: "call",
        id,
        name: "",
        args: "",
        isOpen: true,
        result: undefined,
        since: now,
        durationMs: undefined,
    };
}

function outcomeOf(event: RunEvent): RunOutcome {
    if (event.type === "RUN_ERROR") {
        return { type: "failed", code: textOf(event, "code") };
    }
    const { outcome } = event;
    const type =
        typeof outcome === "object" && outcome !== null && "type" in outcome ? outcome.type : "";
    return { type: type === "cancelled" || type === "interrupt" ? type : "finished" };
}

/** The run has ended: nothing of it is under way any more. */
function closed(run: RunView, outcome: RunOutcome): RunView {
    const items = run.items.map((item) =>
        "isOpen" in item && item.isOpen ? { ...item, isOpen: false } : item,
    );
    return { ...run, items, step: "", outcome };
}

function receive(run: RunView, event: RunEvent, now: Moment): RunView {
    const id = textOf(event, "messageId");
    const call = textOf(event, "toolCallId");
    const delta = textOf(event, "delta");
    switch (event.type) {
        case "TEXT_MESSAGE_START":
        case "TEXT_MESSAGE_CONTENT":
            return withItem(run, newText(id), (item) => ({ ...item, text: item.text + delta }));
        case "TEXT_MESSAGE_END":
            return withItem(run, newText(id), (item) => ({ ...item, isOpen: false }));
        case "REASONING_MESSAGE_START":
        case "REASONING_MESSAGE_CONTENT":
            return withItem(run, newThinking(id, now), (item) => ({
                ...item,
                text: item.text + delta,
            }));
        case "REASONING_MESSAGE_END":
            return withItem(run, newThinking(id, now), (item) => ({
                ...item,
                isOpen: false,
                durationMs: between(item.since, now),
            }));
        case "TOOL_CALL_START":
            return withItem(run, newCall(call, now), (item) => ({
                ...item,
                name: textOf(event, "toolCallName"),
            }));
        case "TOOL_CALL_ARGS":
            return withItem(run, newCall(call, now), (item) => ({
                ...item,
                args: item.args + delta,
            }));
        case "TOOL_CALL_RESULT":
            return withItem(run, newCall(call, now), (item) => ({
                ...item,
                isOpen: false,
                result: textOf(event, "content"),
                durationMs: between(item.since, now),
            }));
        case "STEP_STARTED":
            return { ...run, step: textOf(event, "stepName") };
        case "STEP_FINISHED":
            return { ...run, step: "" };
        case "CUSTOM":
            return event.name === "takeover"
                ? withItem(run, { kind: "takeover", id: `takeover-${run.lastFrame}` }, (it) => it)
                : run;
        case "RUN_FINISHED":
        case "RUN_ERROR":
            return closed(run, outcomeOf(event));
        default:
            return run;
    }
}

/** Takes in a frame. `now`: when it came, if it came as it was made. One that was seen changes nothing. */
export function receiveFrame(run: RunView, frame: RunFrame, now: Moment): RunView {
    const { number } = placeOf(frame.id);
    return number <= run.lastFrame ? run : receive({ ...run, lastFrame: number }, frame.event, now);
}

/** The run was over when nobody listened: how, is known from elsewhere. */
export function endRun(run: RunView, outcome: RunOutcome): RunView {
    return run.outcome ? run : closed(run, outcome);
}

/** An event of the run stands in the room. */
export function storeEvent(run: RunView, eventId: string): RunView {
    return { ...run, stored: new Set(run.stored).add(eventId) };
}

/** Whether a text is to be shown from the stream, as the room does not have it yet. */
export function isUnstored(run: RunView, { id }: TextItem): boolean {
    return !run.isPast && !run.stored.has(id);
}
