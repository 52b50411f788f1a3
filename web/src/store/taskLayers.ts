// SPDX-License-Identifier: Apache-2.0
// Where the tasks stand in a drawing: in layers, each below all that it depends on, with few lines that cross.

export interface LayoutSizes {
    width: number;
    height: number;
    /** Between neighbours of a layer, and between layers. */
    gap: number;
    layerGap: number;
    /** The room that a line takes which passes a layer. */
    lane: number;
}

export interface PlacedTask {
    key: string;
    /** The upper left corner. */
    x: number;
    y: number;
}

export interface PlacedLine {
    from: string;
    to: string;
    /** Where it begins, passes the layers between, and ends. */
    points: { x: number; y: number }[];
}

export interface Drawing {
    width: number;
    height: number;
    tasks: PlacedTask[];
    lines: PlacedLine[];
}

interface Linked {
    key: string;
    depends_on: readonly string[];
}

/** A task, or a line on its way through a layer. */
interface Slot {
    id: string;
    width: number;
    isTask: boolean;
}

const SWEEPS = 4;

/** How far down each task stands: one below the lowest that it depends on. */
function depthsOf(tasks: readonly Linked[]): Map<string, number> {
    const known = new Map(tasks.map((task) => [task.key, task]));
    const depths = new Map<string, number>();
    const depthOf = (task: Linked, above: ReadonlySet<string>): number => {
        const held = depths.get(task.key);
        if (held !== undefined) {
            return held;
        }
        const under = new Set([...above, task.key]);
        let depth = 0;
        for (const key of task.depends_on) {
            const other = known.get(key);
            // Tasks that wait for each other are refused by the server: here they only must not hang the page.
            if (other && !under.has(key)) {
                depth = Math.max(depth, depthOf(other, under) + 1);
            }
        }
        depths.set(task.key, depth);
        return depth;
    };
    for (const task of tasks) {
        depthOf(task, new Set());
    }
    return depths;
}

/** Puts what belongs together side by side: each slot by the middle of its neighbours in the layer before. */
function sweep(layers: Slot[][], neighbours: ReadonlyMap<string, string[]>): void {
    layers.forEach((layer, at) => {
        const before = new Map(layers[at - 1]?.map((slot, index) => [slot.id, index]));
        if (before.size === 0) {
            return;
        }
        const middle = new Map(
            layer.map((slot, index) => {
                const places = (neighbours.get(slot.id) ?? []).flatMap(
                    (id) => before.get(id) ?? [],
                );
                const sum = places.reduce((total, place) => total + place, 0);
                return [slot.id, places.length === 0 ? index : sum / places.length];
            }),
        );
        layer.sort((a, b) => (middle.get(a.id) ?? 0) - (middle.get(b.id) ?? 0));
    });
}

export function layOut(tasks: readonly Linked[], sizes: LayoutSizes): Drawing {
    const depths = depthsOf(tasks);
    const layers: Slot[][] = [];
    const above = new Map<string, string[]>();
    const below = new Map<string, string[]>();
    const join = (upper: string, lower: string) => {
        above.set(lower, [...(above.get(lower) ?? []), upper]);
        below.set(upper, [...(below.get(upper) ?? []), lower]);
    };
    const put = (depth: number, slot: Slot) => {
        layers[depth] ??= [];
        layers[depth].push(slot);
    };
    for (const task of tasks) {
        put(depths.get(task.key) ?? 0, { id: task.key, width: sizes.width, isTask: true });
    }
    const ways: { from: string; to: string; stops: string[] }[] = [];
    for (const task of tasks) {
        const depth = depths.get(task.key) ?? 0;
        for (const from of task.depends_on) {
            const start = depths.get(from);
            if (start === undefined || start >= depth) {
                continue;
            }
            const stops = [from];
            for (let between = start + 1; between < depth; between += 1) {
                const id = `${from} to ${task.key} at ${between}`;
                put(between, { id, width: sizes.lane, isTask: false });
                stops.push(id);
            }
            stops.push(task.key);
            stops.slice(1).forEach((stop, at) => join(stops[at] ?? "", stop));
            ways.push({ from, to: task.key, stops });
        }
    }
    for (let count = 0; count < SWEEPS; count += 1) {
        sweep(layers, above);
        layers.reverse();
        sweep(layers, below);
        layers.reverse();
    }
    sweep(layers, above);

    const widthOf = (layer: readonly Slot[]) =>
        layer.reduce((total, slot) => total + slot.width + sizes.gap, -sizes.gap);
    const width = Math.max(0, ...layers.map(widthOf));
    const places = new Map<string, { x: number; y: number; slot: Slot }>();
    layers.forEach((layer, depth) => {
        let x = (width - widthOf(layer)) / 2;
        for (const slot of layer) {
            places.set(slot.id, { x, y: depth * (sizes.height + sizes.layerGap), slot });
            x += slot.width + sizes.gap;
        }
    });
    const lines = ways.map(({ from, to, stops }) => ({
        from,
        to,
        points: stops.flatMap((stop) => {
            const place = places.get(stop);
            if (!place) {
                return [];
            }
            const x = place.x + place.slot.width / 2;
            const top = { x, y: place.y };
            const bottom = { x, y: place.y + sizes.height };
            if (stop === from) {
                return [bottom];
            }
            return stop === to ? [top] : [top, bottom];
        }),
    }));
    return {
        width,
        height: Math.max(0, layers.length * (sizes.height + sizes.layerGap) - sizes.layerGap),
        tasks: tasks.flatMap(({ key }) => {
            const place = places.get(key);
            return place ? [{ key, x: place.x, y: place.y }] : [];
        }),
        lines,
    };
}

/** A line with round bends: straight through a layer, curved from one layer to the next. */
export function pathOf({ points }: PlacedLine): string {
    return points
        .map(({ x, y }, at) => {
            const before = points[at - 1];
            if (!before) {
                return `M${x} ${y}`;
            }
            if (before.x === x) {
                return `L${x} ${y}`;
            }
            const middle = (before.y + y) / 2;
            return `C${before.x} ${middle} ${x} ${middle} ${x} ${y}`;
        })
        .join(" ");
}
