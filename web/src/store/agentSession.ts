// SPDX-License-Identifier: Apache-2.0
// The agent of an open room: what it does, the run that is watched, and the runs that this page starts and stops.
import { type AgentRoute, cancelRun, RunInProgress, readRun, startRun } from "../api/agent";
import { fetchAgentState, fetchRuns } from "../api/calls";
import type { AgentState, NewEvent, RoomEvent, Run } from "../api/model";
import { Problem, problemOf } from "../api/problem";
import { type RunFrame, RunStream, type StreamEnd } from "../live/runStream";
import { type AgentView, activeRun } from "./agentActivity";
import { Observable, type Readable } from "./observable";
import { TURN_KEY } from "./outbox";
import { endRun, newRun, placeOf, type RunOutcome, receiveFrame, storeEvent } from "./run";

export interface AgentOptions {
    roomId: string;
    route: AgentRoute;
    found: AgentState;
    /** Says something in the room in the ordinary way: the agent answers it in turn. */
    sayInTurn: (event: NewEvent) => Promise<RoomEvent | undefined>;
}

/** When it is looked for a run that a message will bring about: a worker has to take it up first. */
const LOOK_MS = [0, 300, 1_000, 2_500, 5_000];
/** How often while a turn is known to wait. */
const QUEUED_MS = 1_500;
/** How long the room may take to show a message whose run has begun. */
const SHOWN_MS = 10_000;
/** Of the runs that were watched so many are held: older ones stand in the room. */
const HELD_RUNS = 20;

function outcomeOf(run: Run): RunOutcome | undefined {
    switch (run.status) {
        case "running":
            return undefined;
        case "cancelled":
            return { type: "cancelled" };
        case "failed":
            return { type: "failed", code: run.error_code };
        default:
            return { type: run.finish_reason === "interrupt" ? "interrupt" : "finished" };
    }
}

export class AgentSession {
    readonly roomId: string;
    private readonly options: AgentOptions;
    private readonly observed: Observable<AgentView>;
    private stream: RunStream | undefined;
    /** A run whose stream is not to be had. */
    private refused: string | undefined;
    private isClosed = false;
    private lookTimers: ReturnType<typeof setTimeout>[] = [];
    private asked = 0;
    private frames: { frame: RunFrame; at: number | undefined }[] = [];
    private drawing: ReturnType<typeof requestAnimationFrame> | undefined;
    /** Who waits to see a message of this page in the room, by its key. */
    private readonly expected = new Map<string, (event: RoomEvent) => void>();
    /** Messages that a run was asked for: the server may have them already. */
    private readonly tried = new Set<string>();

    constructor(options: AgentOptions) {
        this.options = options;
        this.roomId = options.roomId;
        this.observed = new Observable<AgentView>({
            ...this.seen(options.found),
            runs: [],
            watched: [],
            stopped: new Set(),
            problem: undefined,
        });
    }

    get route(): AgentRoute {
        return this.options.route;
    }

    get state(): Readable<AgentView> {
        return this.observed;
    }

    open(): void {
        document.addEventListener("visibilitychange", this.wake);
        window.addEventListener("online", this.wake);
        this.lookSoon([0]);
    }

    close(): void {
        this.isClosed = true;
        document.removeEventListener("visibilitychange", this.wake);
        window.removeEventListener("online", this.wake);
        this.stream?.close();
        this.dropLooks();
        if (this.drawing !== undefined) {
            cancelAnimationFrame(this.drawing);
        }
    }

    /** Told of everything that is new in the room. */
    hear(event: RoomEvent): void {
        const key = event.idempotency_key ?? "";
        this.expected.get(key)?.(event);
        this.expected.delete(key);
        const { watched } = this.observed.get();
        const isOfWatched = watched.some(({ id }) => id === event.correlation_id);
        if (isOfWatched) {
            this.patch({
                watched: watched.map((run) =>
                    run.id === event.correlation_id ? storeEvent(run, event.id) : run,
                ),
            });
        } else if (!this.stream) {
            this.lookSoon(LOOK_MS);
        }
    }

    /** The server, or the room, tells of something that is newer than what is known of the agent. */
    lookAgain(): void {
        if (!this.stream) {
            this.lookSoon([0]);
        }
    }

    /** Says something to the agent. Undefined: it had been said before. */
    async say(event: NewEvent): Promise<RoomEvent | undefined> {
        const key = event.idempotency_key ?? "";
        if (this.tried.has(key) || event.content.type !== "text") {
            return this.options.sayInTurn(event);
        }
        this.tried.add(key);
        try {
            return await this.start(key, event.content.body);
        } catch (thrown) {
            const problem = problemOf(thrown);
            if (problem instanceof RunInProgress) {
                this.tried.delete(key);
                this.lookSoon([0]);
            } else if (problem.code === "SESSION_AWAITING_APPROVAL") {
                return this.options.sayInTurn(event);
            }
            throw problem;
        }
    }

    /** Asks the run to end. It has ended when its stream says so. */
    async stop(): Promise<void> {
        const active = activeRun(this.observed.get());
        if (active) {
            await cancelRun(this.options.route, active.id);
            const stopped = new Set(this.observed.get().stopped).add(active.id);
            this.patch({ stopped });
            this.lookSoon([1_000]);
        }
    }

    /** Watches a run that somebody else has begun. */
    watch(runId: string): void {
        const known = this.observed.get().watched.find(({ id }) => id === runId);
        if (!this.stream && !known?.outcome) {
            this.follow(runId, { liveFrom: 0, isPast: false });
        }
    }

    private async start(key: string, text: string): Promise<RoomEvent> {
        const { route, roomId } = this.options;
        // The room may show it before the server answers.
        const isShown = new Promise<RoomEvent>((resolve) => this.expected.set(key, resolve));
        let timer: ReturnType<typeof setTimeout> | undefined;
        try {
            const message = { id: key.slice(TURN_KEY.length), text };
            const first = await startRun(route, roomId, message);
            if (this.isClosed) {
                await first.body?.cancel();
                throw this.notSeen();
            }
            this.follow(undefined, { first, liveFrom: 0, isPast: false });
            this.lookSoon([500]);
            const isLate = new Promise<never>((_, reject) => {
                timer = setTimeout(() => reject(this.notSeen()), SHOWN_MS);
            });
            return await Promise.race([isShown, isLate]);
        } finally {
            clearTimeout(timer);
            this.expected.delete(key);
        }
    }

    /** It is said again in the ordinary way, which tells whether the room has it. */
    private notSeen(): Problem {
        return new Problem({ code: "COMMIT_OUTCOME_UNKNOWN", status: 0, retryable: true });
    }

    private readonly wake = (): void => {
        if (document.visibilityState === "visible") {
            this.stream?.wake();
            this.draw();
            this.lookAgain();
        }
    };

    // ---- what the server knows ------------------------------------------------------------------

    private lookSoon(delays: readonly number[]): void {
        this.dropLooks();
        this.lookTimers = delays.map((delay) => setTimeout(() => void this.look(), delay));
    }

    private dropLooks(): void {
        for (const timer of this.lookTimers) {
            clearTimeout(timer);
        }
        this.lookTimers = [];
    }

    private async look(): Promise<void> {
        this.asked += 1;
        const asked = this.asked;
        try {
            const [found, runs] = await Promise.all([
                fetchAgentState(this.roomId),
                fetchRuns(this.roomId),
            ]);
            if (found && asked === this.asked && !this.isClosed) {
                this.take(found, runs);
            }
        } catch (thrown) {
            const problem = problemOf(thrown);
            if (this.isClosed) {
                return;
            }
            if (problem.retryable) {
                this.lookSoon([QUEUED_MS]);
            } else {
                this.patch({ problem });
            }
        }
    }

    private take(found: AgentState, runs: readonly Run[]): void {
        const outcomes = new Map(runs.map((run) => [run.id, outcomeOf(run)]));
        const watched = this.observed.get().watched.map((run) => {
            const outcome = outcomes.get(run.id);
            // The stream that is read says it itself, with what came before.
            return outcome && !this.stream ? endRun(run, outcome) : run;
        });
        this.patch({ ...this.seen(found), runs, watched });
        const [last] = runs;
        const isOver = watched.some(({ id, outcome }) => id === last?.id && outcome);
        if (this.stream) {
            return;
        }
        if (last && !isOver && last.id !== this.refused) {
            const isPast = last.status !== "running";
            this.follow(last.id, { liveFrom: last.last_frame + 1, isPast });
        } else if (found.status === "queued") {
            this.lookSoon([QUEUED_MS]);
        }
    }

    private seen({ status, agent, interrupts }: AgentState) {
        return { status, agent, questions: interrupts };
    }

    // ---- the run that is watched ----------------------------------------------------------------

    private follow(
        runId: string | undefined,
        how: { first?: Response; liveFrom: number; isPast: boolean },
    ): void {
        this.stream?.close();
        this.dropLooks();
        let run = runId;
        const stream = new RunStream({
            first: how.first,
            open: (after, signal) => readRun(this.options.route, run, after, signal),
            onFrame: (frame) => {
                const place = placeOf(frame.id);
                run = place.run;
                this.hold(run, how.isPast);
                const at = place.number < how.liveFrom ? undefined : Date.now();
                this.frames.push({ frame, at });
                this.drawSoon();
            },
        });
        this.stream = stream;
        void this.readOut(stream, () => run);
    }

    private async readOut(stream: RunStream, runOf: () => string | undefined): Promise<void> {
        let end: StreamEnd = "closed";
        let problem: Problem | undefined;
        try {
            end = await stream.read();
        } catch (thrown) {
            problem = problemOf(thrown);
        }
        if (this.stream !== stream || this.isClosed) {
            return;
        }
        this.stream = undefined;
        this.draw();
        if (end !== "ended") {
            // What it did not tell is looked up, and it is not asked for it again.
            this.refused = runOf();
        }
        this.patch({ problem });
        this.lookSoon([0]);
    }

    private hold(id: string, isPast: boolean): void {
        const { watched } = this.observed.get();
        if (!watched.some((run) => run.id === id)) {
            this.patch({ watched: [...watched, newRun(id, isPast)].slice(-HELD_RUNS) });
        }
    }

    /** Once for each picture that the screen shows; a page that nobody sees catches up when it is looked at. */
    private drawSoon(): void {
        this.drawing ??= requestAnimationFrame(() => this.draw());
    }

    private draw(): void {
        if (this.drawing !== undefined) {
            cancelAnimationFrame(this.drawing);
            this.drawing = undefined;
        }
        const frames = this.frames;
        this.frames = [];
        if (frames.length > 0) {
            this.patch({
                watched: this.observed
                    .get()
                    .watched.map((run) =>
                        frames
                            .filter(({ frame }) => placeOf(frame.id).run === run.id)
                            .reduce((held, { frame, at }) => receiveFrame(held, frame, at), run),
                    ),
            });
        }
    }

    private patch(change: Partial<AgentView>): void {
        this.observed.update((held) => ({ ...held, ...change }));
    }
}
