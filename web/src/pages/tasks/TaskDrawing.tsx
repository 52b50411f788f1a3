// SPDX-License-Identifier: Apache-2.0
// The tasks as a drawing of what waits for what. It repeats what the list beside it says, for those who see it.
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { layOut, pathOf } from "../../store/taskLayers";
import styles from "./TaskDrawing.module.css";

const SIZES = { width: 168, height: 52, gap: 20, layerGap: 36, lane: 12 };
const MARGIN = 8;

export interface DrawnTask {
    key: string;
    title: string;
    depends_on: readonly string[];
    /** What the task is at, where it is at something. */
    mark?: ReactNode;
    tone?: string;
}

export interface TaskDrawingProps {
    label: string;
    tasks: readonly DrawnTask[];
    selected: string | undefined;
    /** The one that is worked on: it is kept in sight until somebody moves the drawing. */
    active?: string;
    onSelect: (key: string) => void;
}

/** Brings a task into sight, without moving the page around the drawing. */
function useFollowing(active: string | undefined) {
    const frame = useRef<HTMLDivElement>(null);
    const isMoved = useRef(false);
    useEffect(() => {
        const place = frame.current;
        const task = place?.querySelector<HTMLElement>(`[data-task="${CSS.escape(active ?? "")}"]`);
        if (place && task && !isMoved.current) {
            place.scrollTo({
                left: task.offsetLeft + task.offsetWidth / 2 - place.clientWidth / 2,
                top: task.offsetTop + task.offsetHeight / 2 - place.clientHeight / 2,
            });
        }
    }, [active]);
    const move = () => {
        isMoved.current = true;
    };
    return { frame, moving: { onWheel: move, onPointerDown: move, onKeyDown: move } };
}

export function TaskDrawing({ label, tasks, selected, active, onSelect }: TaskDrawingProps) {
    // Anew when the tasks are others, not each time that they are asked for.
    const shape = JSON.stringify(tasks.map(({ key, depends_on }) => [key, depends_on]));
    const drawing = useMemo(() => {
        const linked = (JSON.parse(shape) as [string, string[]][]).map(([key, depends_on]) => ({
            key,
            depends_on,
        }));
        return layOut(linked, SIZES);
    }, [shape]);
    const { frame, moving } = useFollowing(active);
    const known = new Map(tasks.map((task) => [task.key, task]));
    const width = drawing.width + 2 * MARGIN;
    const height = drawing.height + 2 * MARGIN;
    const isTouched = (from: string, to: string) => from === selected || to === selected;
    return (
        // A part that scrolls is reached by keys as well.
        <div
            ref={frame}
            role="group"
            aria-label={label}
            tabIndex={0}
            className={styles.frame}
            {...moving}
        >
            <div aria-hidden="true" className={styles.canvas} style={{ width, height }}>
                <svg
                    className={styles.lines}
                    width={width}
                    height={height}
                    viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
                >
                    {drawing.lines.map((line) => (
                        <path
                            key={`${line.from} ${line.to}`}
                            d={pathOf(line)}
                            data-touched={isTouched(line.from, line.to) ? "" : undefined}
                        />
                    ))}
                </svg>
                {drawing.tasks.map(({ key, x, y }) => {
                    const task = known.get(key);
                    return (
                        <div
                            key={key}
                            className={styles.task}
                            data-task={key}
                            data-tone={task?.tone}
                            data-selected={key === selected ? "" : undefined}
                            style={{
                                left: x + MARGIN,
                                top: y + MARGIN,
                                width: SIZES.width,
                                height: SIZES.height,
                            }}
                            onClick={() => onSelect(key)}
                        >
                            {task?.mark !== undefined && (
                                <span className={styles.mark}>{task.mark}</span>
                            )}
                            <bdi className={styles.title}>{task?.title || key}</bdi>
                        </div>
                    );
                })}
            </div>
        </div>
    );
}
