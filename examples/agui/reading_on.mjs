// SPDX-License-Identifier: Apache-2.0
// A `fetch` for AG-UI clients that reads a run on where its stream was cut.
//
//     const agent = new HttpAgent({ url: `${rooms}/${room}/agent?on_disconnect=detach`, threadId: room, fetch: readingOn() });
//
// The client takes the end of a stream for the end of the run, and a broken one for a failure. Here a stream has ended only
// with the run's terminal event; before that the rest is fetched from `agent/stream?after=`, on whichever worker answers.

/** `tries`: after so many attempts that bring nothing it gives up; `pause`: milliseconds in front of each. */
export function readingOn({ fetch = globalThis.fetch, tries = 10, pause = 500 } = {}) {
    return async (url, init) => {
        const answer = await fetch(url, init);
        if (!answer.ok || !answer.body) return answer;
        const frames = framesOfRun(answer.body, { fetch, url, init, tries, pause });
        const body = new ReadableStream({
            async pull(to) {
                const { done, value } = await frames.next();
                if (done) to.close();
                else to.enqueue(value);
            },
            cancel: () => frames.return(),
        });
        return new Response(body, { status: answer.status, headers: answer.headers });
    };
}

async function* framesOfRun(body, how) {
    const encoder = new TextEncoder();
    let last = "";
    let left = how.tries;
    while (body) {
        try {
            for await (const frame of wholeFrames(body)) {
                left = how.tries;
                last = fieldOf(frame, "id") ?? last;
                yield encoder.encode(`${frame}\n\n`);
                if (endsRun(frame)) return;
            }
        } catch (error) {
            if (how.init?.signal?.aborted || left === 0) throw error;
        }
        body = await rest(last, how, () => left-- > 0);
    }
}

/** What follows the last frame that was seen; null: nothing does. */
async function rest(last, { fetch, url, init, pause }, mayTry) {
    const place = new URL(url);
    place.pathname += "/stream";
    place.search = last ? `?after=${encodeURIComponent(last)}` : "";
    const { method, body, ...again } = init ?? {};
    while (mayTry()) {
        await new Promise((done) => setTimeout(done, pause));
        try {
            const answer = await fetch(place, again);
            if (answer.status === 204) return null;
            if (answer.ok) return answer.body;
        } catch (error) {
            if (init?.signal?.aborted) throw error;
        }
    }
    throw new Error("the run's stream was cut, and can't be read on");
}

/** A frame that was cut in the middle is not shown: it comes again, whole. */
async function* wholeFrames(body) {
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of body) {
        text += decoder.decode(piece, { stream: true });
        const frames = text.split("\n\n");
        text = frames.pop();
        yield* frames;
    }
}

function fieldOf(frame, name) {
    const line = frame.split("\n").find((one) => one.startsWith(`${name}: `));
    return line?.slice(name.length + 2);
}

function endsRun(frame) {
    const data = fieldOf(frame, "data");
    return data !== undefined && ["RUN_FINISHED", "RUN_ERROR"].includes(JSON.parse(data).type);
}
