// SPDX-License-Identifier: Apache-2.0
// Where the runs of an agent stand among the events of its room: what is not stored, or not yet, between what is.
import type { RoomEvent, Run, ToolCallContent } from "../api/model";
import { type CallItem, isUnstored, type RunItem, type RunView } from "./run";

/** A call as a line shows it, from the stream or from the room. */
export interface CallLine {
    readonly name: string;
    readonly state: "asked" | "running" | "done" | "failed" | "stopped";
    /** JSON, or what there is of it. */
    readonly args: string;
    readonly result: string | undefined;
    readonly since: number | undefined;
    readonly durationMs: number | undefined;
}

/** How a run ended, where that is worth a line. */
export type EndLine = "stopped" | "stoppedHere" | { readonly code: string };

/** What the stream tells of is looked up in its run by who shows it: rows change with what there is, not with each word. */
export type RunRow =
    | { kind: "live" | "thinking"; key: string; run: string; isContinued: boolean }
    | { kind: "call"; key: string; from: { run: string } | ToolCallContent; isContinued: boolean }
    | { kind: "takeover"; key: string }
    | { kind: "ended"; key: string; how: EndLine };

/** What is known of a room's runs. */
export interface RunSources {
    /** The channel that answers. */
    readonly agent: string;
    readonly runs: readonly Run[];
    readonly watched: readonly RunView[];
    readonly stopped: ReadonlySet<string>;
}

export const noRuns: RunSources = { agent: "", runs: [], watched: [], stopped: new Set() };

export function callLine(item: CallItem, run: RunView): CallLine {
    const { name, args, result, since, durationMs } = item;
    const isOver = run.outcome !== undefined && run.outcome.type !== "interrupt";
    const isAsked = run.outcome?.type === "interrupt" && result === undefined;
    const state = isAsked ? "asked" : isOver && result === undefined ? "stopped" : "running";
    return { name, args, result, since, durationMs, state: result === undefined ? state : "done" };
}

function written(value: unknown): string {
    return typeof value === "string" ? value : JSON.stringify(value);
}

export function callOf(event: RoomEvent): ToolCallContent | undefined {
    return event.content.type === "tool_call" ? event.content : undefined;
}

const STATES: Partial<Record<ToolCallContent["status"], CallLine["state"]>> = {
    completed: "done",
    failed: "failed",
};

export function storedCallLine(content: ToolCallContent): CallLine {
    const { tool_name, status, result, error, duration_ms } = content;
    return {
        name: tool_name,
        state: STATES[status] ?? "running",
        args: JSON.stringify(content.arguments),
        result: error || (result === undefined ? undefined : written(result)),
        since: undefined,
        // Less than a thousandth of a second tells nothing.
        durationMs: duration_ms || undefined,
    };
}

/** What of the runs decides about rows: the same text, the same rows. */
export function shapeOf({ agent, runs, watched, stopped }: RunSources): string {
    const items = watched.map(({ id, items, outcome, stored }) => [
        id,
        outcome,
        stored.size,
        items.map((item) => [item.id, item.kind === "text" && item.text !== ""]),
    ]);
    return JSON.stringify([agent, items, [...stopped], runs.map(({ id, status }) => [id, status])]);
}

/** Whether an answer was cut off: by a stop, a failure, or because its worker went away. */
function wasCutOff(event: RoomEvent): boolean {
    return event.metadata.finish_reason === "interrupted";
}

/** What stands before each event of the window, and behind the last. */
export class RunPlaces {
    private readonly before = new Map<number, RunRow[]>();
    private readonly events: readonly RoomEvent[];
    private readonly sources: RunSources;

    constructor(events: readonly RoomEvent[], sources: RunSources) {
        this.events = events;
        this.sources = sources;
        // The server lists the last one first.
        const listed = sources.runs.map(({ id }) => id).reverse();
        for (const id of new Set([...listed, ...sources.watched.map((run) => run.id)])) {
            this.place(id);
        }
        this.placeTakeovers();
    }

    rowsBefore(place: number): readonly RunRow[] {
        return this.before.get(place) ?? [];
    }

    private put(place: number, row: RunRow): void {
        this.before.set(place, [...this.rowsBefore(place), row]);
    }

    private place(id: string): void {
        const view = this.sources.watched.find((each) => each.id === id);
        const run = this.sources.runs.find((each) => each.id === id);
        const isRunning =
            view && !view.isPast ? view.outcome === undefined : run?.status === "running";
        const last = this.events.findLastIndex((event) => event.correlation_id === id);
        const end = isRunning ? this.events.length : this.endOf(last, run);
        if (end === undefined) {
            return;
        }
        let waiting: RunRow[] = [];
        for (const item of view?.items ?? []) {
            const place = this.placeOfItem(item);
            if (place !== undefined) {
                for (const row of waiting) {
                    this.put(place, row);
                }
                waiting = [];
            }
            const row = view && this.rowOf(item, view, place !== undefined);
            if (row) {
                waiting.push(row);
            }
        }
        const how = this.endLine(id, view, run);
        if (how) {
            waiting.push({ kind: "ended", key: `end-${id}`, how });
        }
        for (const row of waiting) {
            this.put(end, row);
        }
    }

    /** Where what follows a run's last event belongs; undefined: before the window. */
    private endOf(last: number, run: Run | undefined): number | undefined {
        if (last >= 0) {
            return last + 1;
        }
        const endedAt = run?.ended_at;
        if (!endedAt) {
            return this.events.length;
        }
        const next = this.events.findIndex((event) => event.created_at > endedAt);
        return next < 0 ? this.events.length : next > 0 ? next : undefined;
    }

    private placeOfItem(item: RunItem): number | undefined {
        const at = this.events.findIndex((event) =>
            item.kind === "call" ? callOf(event)?.tool_id === item.id : event.id === item.id,
        );
        return at < 0 ? undefined : at;
    }

    private rowOf(item: RunItem, view: RunView, isStored: boolean): RunRow | undefined {
        const { id: key } = item;
        const shown = { key, run: view.id, isContinued: false };
        switch (item.kind) {
            case "text":
                return !isStored && isUnstored(view, item) && item.text !== ""
                    ? { kind: "live", ...shown }
                    : undefined;
            case "thinking":
                return { kind: "thinking", ...shown };
            case "call":
                return isStored
                    ? undefined
                    : { kind: "call", key, from: { run: view.id }, isContinued: false };
            case "takeover":
                return { kind: "takeover", key: `${view.id}-${key}` };
        }
    }

    private endLine(id: string, view: RunView | undefined, run: Run | undefined) {
        const isStopped = view?.outcome?.type === "cancelled" || run?.status === "cancelled";
        if (isStopped) {
            return this.sources.stopped.has(id) ? "stoppedHere" : "stopped";
        }
        if (view?.outcome?.type === "failed") {
            return { code: view.outcome.code };
        }
        return run?.status === "failed" ? { code: run.error_code } : undefined;
    }

    /** An answer that was cut off although its run went on: another worker has taken it up. */
    private placeTakeovers(): void {
        this.events.forEach((event, at) => {
            const run = event.correlation_id;
            if (!wasCutOff(event) || run === "") {
                return;
            }
            const goesOn =
                this.events.some((each, place) => place > at && each.correlation_id === run) ||
                this.sources.watched.some(
                    ({ id, items, outcome }) =>
                        id === run &&
                        (outcome === undefined || outcome.type === "finished") &&
                        items.at(-1)?.id !== event.id,
                );
            if (goesOn) {
                const row: RunRow = { kind: "takeover", key: `takeover-${event.id}` };
                this.before.set(at + 1, [row, ...this.rowsBefore(at + 1)]);
            }
        });
    }
}
