// SPDX-License-Identifier: Apache-2.0
// What is entered in a form, and the typed answer that is made of it, or what is wrong with which field.
import {
    ANSWER_PATH,
    type AnswerForm,
    type Choice,
    type ChoicesShape,
    type FormField,
    type ListShape,
    type NumberShape,
    type Scalar,
    type TextShape,
    type ValueShape,
} from "./answerForm";

/**
 * By the ids of the fields: a text as it is typed; of a choice its place among the choices, empty for none; of several
 * choices their places, with commas between them.
 */
export type Entered = Readonly<Record<string, string>>;

/** A sentence below `answer` in the catalogues, and what stands in its blanks. */
export type Misfit =
    | {
          readonly reason:
              | "required"
              | "notNumber"
              | "notInteger"
              | "notExact"
              | "notDate"
              | "notEmail"
              | "notUri"
              | "twice"
              | "notJson"
              | "refused";
      }
    | {
          readonly reason:
              | "min"
              | "max"
              | "above"
              | "below"
              | "step"
              | "tooShort"
              | "tooLong"
              | "tooFew"
              | "tooMany";
          readonly bound: number;
      };

/** By the ids of the fields. */
export type Misfits = ReadonlyMap<string, Misfit>;

/** Nothing was entered. */
const NOTHING = Symbol("nothing");

type Found = { value: unknown } | { misfit: Misfit } | typeof NOTHING;

function leaves(fields: readonly FormField[]): FormField[] {
    return fields.flatMap((field) =>
        field.shape.kind === "group" ? leaves(field.shape.fields) : [field],
    );
}

function placeOf(choices: readonly Choice[], value: unknown): string {
    const at = choices.findIndex((choice) => choice.value === value);
    return at < 0 ? "" : String(at);
}

/** What a field begins with: the schema's default where it fits the shape. */
function beginning(shape: ValueShape, initial: unknown): string {
    switch (shape.kind) {
        case "text":
            return typeof initial === "string" ? initial : "";
        case "number":
            return typeof initial === "number" ? String(initial) : "";
        case "choice":
            // A default may be `null`; one that is left out is not.
            return initial === undefined ? "" : placeOf(shape.choices, initial);
        case "choices": {
            const held = Array.isArray(initial) ? initial : [];
            return held
                .map((value) => placeOf(shape.choices, value))
                .filter((at) => at !== "")
                .join(",");
        }
        case "list":
            return Array.isArray(initial) && initial.every((each) => typeof each === "string")
                ? initial.join("\n")
                : "";
    }
}

export function beginningOf(form: AnswerForm): Entered {
    return Object.fromEntries(
        leaves(form.fields).map(({ id, shape, initial }) => [
            id,
            shape.kind === "group" ? "" : beginning(shape, initial),
        ]),
    );
}

/** As people count, and as JSON Schema does. */
function lengthOf(text: string): number {
    return [...text].length;
}

function isDate(text: string): boolean {
    const date = new Date(`${text}T00:00:00Z`);
    return (
        /^\d{4}-\d{2}-\d{2}$/.test(text) &&
        !Number.isNaN(date.getTime()) &&
        date.toISOString().startsWith(text)
    );
}

function checkText(text: string, { format, least, most }: TextShape): Misfit | undefined {
    const length = lengthOf(text);
    if (format === "date" && !isDate(text)) {
        return { reason: "notDate" };
    }
    if (format === "email" && !/^[^\s@]+@[^\s@]+$/.test(text)) {
        return { reason: "notEmail" };
    }
    if (format === "uri" && !/^[a-z][a-z\d+.-]*:\S+$/i.test(text)) {
        return { reason: "notUri" };
    }
    if (length < least) {
        return { reason: "tooShort", bound: least };
    }
    return length > most ? { reason: "tooLong", bound: most } : undefined;
}

function readText(text: string, shape: TextShape): Found {
    // Spaces around an address or a date are slips; in a text they may be meant.
    const isWord = shape.format !== "plain" && shape.format !== "lines";
    const value = isWord ? text.trim() : text;
    if (value.trim() === "") {
        return NOTHING;
    }
    const misfit = checkText(value, shape);
    return misfit ? { misfit } : { value };
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Whether a number is a whole multiple, as far as binary fractions can tell. */
function isMultiple(value: number, step: number): boolean {
    const times = value / step;
    return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

function checkNumber(value: number, shape: NumberShape): Misfit | undefined {
    const { isInteger, min, max, above, below, step } = shape;
    if (isInteger && !Number.isInteger(value)) {
        return { reason: "notInteger" };
    }
    if (!Number.isFinite(value) || (isInteger && !Number.isSafeInteger(value))) {
        return { reason: "notExact" };
    }
    if (min !== undefined && value < min) {
        return { reason: "min", bound: min };
    }
    if (max !== undefined && value > max) {
        return { reason: "max", bound: max };
    }
    if (above !== undefined && value <= above) {
        return { reason: "above", bound: above };
    }
    if (below !== undefined && value >= below) {
        return { reason: "below", bound: below };
    }
    return step !== undefined && step > 0 && !isMultiple(value, step)
        ? { reason: "step", bound: step }
        : undefined;
}

function readNumber(text: string, shape: NumberShape): Found {
    // Digits of full width are digits, and so is the minus of a Japanese keyboard.
    const plain = text
        .normalize("NFKC")
        .replace(/[\u2212\u30fc]/g, "-")
        .trim();
    if (plain === "") {
        return NOTHING;
    }
    if (!NUMBER.test(plain)) {
        return { misfit: { reason: "notNumber" } };
    }
    const value = Number(plain);
    const misfit = checkNumber(value, shape);
    return misfit ? { misfit } : { value };
}

function chosen(choices: readonly Choice[], entered: string): Scalar[] {
    const places = entered === "" ? [] : entered.split(",").map(Number);
    // In the order of the choices, however they were ticked.
    return choices.filter((_, at) => places.includes(at)).map((choice) => choice.value);
}

function checkCount(count: number, { least, most }: ChoicesShape | ListShape): Misfit | undefined {
    if (count < least) {
        return { reason: "tooFew", bound: least };
    }
    return count > most ? { reason: "tooMany", bound: most } : undefined;
}

function readList(text: string, shape: ListShape): Found {
    const items = text
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
    if (items.length === 0) {
        return NOTHING;
    }
    const misfit =
        checkCount(items.length, shape) ??
        items.map((item) => checkText(item, shape.item)).find((each) => each !== undefined);
    if (misfit) {
        return { misfit };
    }
    return shape.isUnique && new Set(items).size < items.length
        ? { misfit: { reason: "twice" } }
        : { value: items };
}

function readEntered(entered: string, shape: ValueShape): Found {
    switch (shape.kind) {
        case "text":
            return readText(entered, shape);
        case "number":
            return readNumber(entered, shape);
        case "choice": {
            const [value] = chosen(shape.choices, entered);
            return value === undefined ? NOTHING : { value };
        }
        case "choices": {
            const value = chosen(shape.choices, entered);
            const misfit = checkCount(value.length, shape);
            if (value.length === 0) {
                return NOTHING;
            }
            return misfit ? { misfit } : { value };
        }
        case "list":
            return readList(entered, shape);
    }
}

/** What a required field without anything in it stands for: an empty list where that is right. */
function emptyOf(field: FormField): Found {
    const { shape, isNullable } = field;
    if (isNullable) {
        return { value: null };
    }
    if ((shape.kind === "choices" || shape.kind === "list") && shape.least === 0) {
        return { value: [] };
    }
    return { misfit: { reason: "required" } };
}

function readField(field: FormField, entered: Entered, misfits: Map<string, Misfit>): Found {
    const { shape, id, isRequired } = field;
    if (shape.kind === "group") {
        const isTouched = leaves([field]).some((leaf) => (entered[leaf.id] ?? "").trim() !== "");
        if (!isTouched && !isRequired) {
            return NOTHING;
        }
        return !isTouched && field.isNullable
            ? { value: null }
            : { value: readFields(shape.fields, entered, misfits) };
    }
    const read = readEntered(entered[id] ?? "", shape);
    const found = read === NOTHING && isRequired ? emptyOf(field) : read;
    if (found !== NOTHING && "misfit" in found) {
        misfits.set(id, found.misfit);
    }
    return found;
}

function readFields(
    fields: readonly FormField[],
    entered: Entered,
    misfits: Map<string, Misfit>,
): Record<string, unknown> {
    const members: [string, unknown][] = [];
    for (const field of fields) {
        const found = readField(field, entered, misfits);
        if (found !== NOTHING && "value" in found) {
            members.push([field.name, found.value]);
        }
    }
    // Not by assignment: a member may be called `__proto__`.
    return Object.fromEntries(members);
}

export type Answer = { readonly answer: unknown } | { readonly misfits: Misfits };

export function answerOf(form: AnswerForm, entered: Entered): Answer {
    const misfits = new Map<string, Misfit>();
    const members = readFields(form.fields, entered, misfits);
    if (misfits.size > 0) {
        return { misfits };
    }
    return { answer: form.isSingle ? members[""] : members };
}

function isExact(value: unknown): boolean {
    if (typeof value === "number") {
        return !Number.isInteger(value) || Number.isSafeInteger(value);
    }
    return typeof value !== "object" || value === null || Object.values(value).every(isExact);
}

/** An answer that is written as JSON: whether it fits is for the server to say. */
export function readJson(text: string): { answer: unknown } | { misfit: Misfit } {
    if (text.trim() === "") {
        return { misfit: { reason: "required" } };
    }
    try {
        const answer: unknown = JSON.parse(text);
        // The page would send another number than was written.
        return isExact(answer) ? { answer } : { misfit: { reason: "notExact" } };
    } catch {
        return { misfit: { reason: "notJson" } };
    }
}

/** A place in the answer at which the server found fault, and a stable word for how. */
export interface Fault {
    readonly field: string;
    readonly reason: string;
}

function isAbout(name: string, path: string): boolean {
    return (
        name === path ||
        (path !== ANSWER_PATH && (name.startsWith(`${path}.`) || name.startsWith(`${path}[`)))
    );
}

/**
 * Which fields the server found fault with. What it names is the field itself, something in it, something around it
 * that is missing, or, where it says no more than that the answer does not fit, nothing here.
 */
export function refusedFields(form: AnswerForm, faults: readonly Fault[]): Misfits {
    const refused = new Map<string, Misfit>();
    for (const { id, path, isRequired } of leaves(form.fields)) {
        const fault = faults.find(({ field }) => isAbout(field, path));
        const isIn = faults.some(
            ({ field, reason }) => reason === "missing_field" && path.startsWith(`${field}.`),
        );
        if (fault) {
            const isMissing = fault.reason === "missing_field" && fault.field === path;
            refused.set(id, { reason: isMissing ? "required" : "refused" });
        } else if (isIn && isRequired) {
            refused.set(id, { reason: "required" });
        }
    }
    return refused;
}

/** The places that the server found fault with, as the answer itself calls them. */
export function placesIn(faults: readonly Fault[]): string[] {
    return faults
        .filter(({ field }) => field.startsWith(ANSWER_PATH))
        .map(({ field }) => field.slice(ANSWER_PATH.length).replace(/^\./, ""))
        .filter((place) => place !== "");
}
