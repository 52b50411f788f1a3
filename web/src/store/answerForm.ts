// SPDX-License-Identifier: Apache-2.0
// A form made of a JSON schema: the shapes that people are asked for in practice. Any other schema is no form, and its
// answer is written as JSON; a keyword that is not understood is never passed over.

export type Scalar = string | number | boolean | null;

export interface Choice {
    readonly value: Scalar;
    /** Undefined: the value itself says it. */
    readonly title?: string;
}

export interface TextShape {
    readonly kind: "text";
    readonly format: "plain" | "lines" | "date" | "email" | "uri";
    readonly least: number;
    readonly most: number;
}

export interface NumberShape {
    readonly kind: "number";
    readonly isInteger: boolean;
    readonly min?: number;
    readonly max?: number;
    readonly above?: number;
    readonly below?: number;
    readonly step?: number;
}

/** One of a few values; yes and no are such. */
export interface ChoiceShape {
    readonly kind: "choice";
    readonly choices: readonly Choice[];
}

export interface ChoicesShape {
    readonly kind: "choices";
    readonly choices: readonly Choice[];
    readonly least: number;
    readonly most: number;
}

/** Texts, one on a line. */
export interface ListShape {
    readonly kind: "list";
    readonly item: TextShape;
    readonly least: number;
    readonly most: number;
    readonly isUnique: boolean;
}

export interface GroupShape {
    readonly kind: "group";
    readonly fields: readonly FormField[];
}

export type ValueShape = TextShape | NumberShape | ChoiceShape | ChoicesShape | ListShape;

export interface FormField {
    /** Of the field in its form, good for an element's id. */
    readonly id: string;
    /** The member's name; empty for an answer that is one value. */
    readonly name: string;
    /** Where the server names it: `response.customer.name`. */
    readonly path: string;
    readonly title: string;
    readonly description: string;
    readonly isRequired: boolean;
    /** Whether `null` says that there is none. */
    readonly isNullable: boolean;
    readonly shape: ValueShape | GroupShape;
    readonly initial: unknown;
}

export interface AnswerForm {
    /** The answer itself is a value, and no object of fields. */
    readonly isSingle: boolean;
    readonly fields: readonly FormField[];
}

type Schema = Readonly<Record<string, unknown>>;

/** What the server calls the answer. */
export const ANSWER_PATH = "response";
/** More of these makes a page that nobody fills in. */
const MOST_FIELDS = 60;
const MOST_CHOICES = 100;
/** A text that may be longer gets room for lines. */
const LINE_LENGTH = 160;

/** Says something about a value, and nothing about which ones are right. */
const REMARKS = [
    "title",
    "description",
    "default",
    "examples",
    "$schema",
    "$id",
    "$comment",
    "readOnly",
    "writeOnly",
    "deprecated",
];
/** The server does not judge by these; the agent reads what was written. */
const UNJUDGED = ["pattern", "format", "contentMediaType", "contentEncoding"];

function isSchema(value: unknown): value is Schema {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is Scalar {
    return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function textIn(schema: Schema, name: string): string {
    const value = schema[name];
    return typeof value === "string" ? value : "";
}

function hasOnly(schema: Schema, names: readonly string[]): boolean {
    return Object.keys(schema).every((name) => REMARKS.includes(name) || names.includes(name));
}

/** Undefined where the keyword is there and no number. */
function numberIn<Otherwise>(
    schema: Schema,
    name: string,
    otherwise: Otherwise,
): number | Otherwise | undefined {
    if (!Object.hasOwn(schema, name)) {
        return otherwise;
    }
    const value = schema[name];
    return typeof value === "number" ? value : undefined;
}

/** The one type of a value, and whether it may be `null` instead. */
function typeOf({ type }: Schema): { type: string | undefined; isNullable: boolean } | undefined {
    if (type === undefined || typeof type === "string") {
        return { type, isNullable: false };
    }
    if (!Array.isArray(type)) {
        return undefined;
    }
    const others = type.filter((each) => each !== "null");
    const [only] = others;
    return others.length === 1 && typeof only === "string"
        ? { type: only, isNullable: others.length < type.length }
        : undefined;
}

function readText(schema: Schema, isAlone: boolean): TextShape | undefined {
    const least = numberIn(schema, "minLength", 0);
    const most = numberIn(schema, "maxLength", Number.POSITIVE_INFINITY);
    const isKnown = hasOnly(schema, ["type", "minLength", "maxLength", ...UNJUDGED]);
    if (!isKnown || least === undefined || most === undefined) {
        return undefined;
    }
    const format = textIn(schema, "format");
    if (format === "date" || format === "email" || format === "uri") {
        return { kind: "text", format, least, most };
    }
    const isLong = Number.isFinite(most) ? most > LINE_LENGTH : isAlone;
    return { kind: "text", format: isLong ? "lines" : "plain", least, most };
}

function readNumber(schema: Schema, isInteger: boolean): NumberShape | undefined {
    const bounds = {
        min: numberIn(schema, "minimum", null),
        max: numberIn(schema, "maximum", null),
        above: numberIn(schema, "exclusiveMinimum", null),
        below: numberIn(schema, "exclusiveMaximum", null),
        step: numberIn(schema, "multipleOf", null),
    };
    const names = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
    if (
        !hasOnly(schema, ["type", "format", ...names]) ||
        Object.values(bounds).includes(undefined)
    ) {
        return undefined;
    }
    const said = Object.entries(bounds).filter(([, bound]) => bound !== null);
    return { kind: "number", isInteger, ...Object.fromEntries(said) };
}

function fitsType(value: Scalar, type: string | undefined, isNullable: boolean): boolean {
    if (type === undefined || (value === null && isNullable)) {
        return true;
    }
    if (type === "integer") {
        return Number.isInteger(value);
    }
    return type === (value === null ? "null" : typeof value);
}

/** The values of `enum`, of `const`, or of alternatives that are each one value with its title. */
function readChoices(schema: Schema): Choice[] | undefined {
    const found = typeOf(schema);
    const alternatives = schema.oneOf ?? schema.anyOf;
    let choices: Choice[] | undefined;
    if (Array.isArray(schema.enum) && hasOnly(schema, ["type", "enum", "enumNames"])) {
        const titles = Array.isArray(schema.enumNames) ? schema.enumNames : [];
        choices = schema.enum.map((value, at) => ({
            value,
            ...(typeof titles[at] === "string" && { title: titles[at] }),
        }));
    } else if (Object.hasOwn(schema, "const") && hasOnly(schema, ["type", "const"])) {
        choices = [{ value: schema.const as Scalar }];
    } else if (Array.isArray(alternatives) && hasOnly(schema, ["type", "oneOf", "anyOf"])) {
        const isPlain = schema.oneOf === undefined || schema.anyOf === undefined;
        const areConstants = alternatives.every(
            (each) => isSchema(each) && Object.hasOwn(each, "const") && hasOnly(each, ["const"]),
        );
        choices =
            isPlain && areConstants
                ? alternatives.map((each) => ({
                      value: each.const,
                      ...(typeof each.title === "string" && { title: each.title }),
                  }))
                : undefined;
    }
    const isKnown =
        found !== undefined &&
        choices?.every(
            ({ value }) => isScalar(value) && fitsType(value, found.type, found.isNullable),
        );
    return isKnown && choices && choices.length > 0 && choices.length <= MOST_CHOICES
        ? choices
        : undefined;
}

function hasChoices(schema: Schema): boolean {
    return ["enum", "const", "oneOf", "anyOf"].some((name) => Object.hasOwn(schema, name));
}

function readArray(schema: Schema): ChoicesShape | ListShape | undefined {
    const least = numberIn(schema, "minItems", 0);
    const most = numberIn(schema, "maxItems", Number.POSITIVE_INFINITY);
    const { items, uniqueItems = false } = schema;
    if (
        !hasOnly(schema, ["type", "items", "minItems", "maxItems", "uniqueItems"]) ||
        !isSchema(items) ||
        typeof uniqueItems !== "boolean" ||
        least === undefined ||
        most === undefined
    ) {
        return undefined;
    }
    if (hasChoices(items)) {
        const choices = readChoices(items);
        // Each can be ticked once: an answer that needs more than there are can't be given by ticking.
        return choices && least <= choices.length
            ? { kind: "choices", choices, least, most }
            : undefined;
    }
    const item = items.type === "string" ? readText(items, false) : undefined;
    // Of lines, one would be cut in two at its break.
    return item && item.format !== "lines"
        ? { kind: "list", item, least, most, isUnique: uniqueItems }
        : undefined;
}

function readValue(schema: Schema, isAlone: boolean): ValueShape | undefined {
    if (hasChoices(schema)) {
        const choices = readChoices(schema);
        return choices && { kind: "choice", choices };
    }
    switch (typeOf(schema)?.type) {
        case "string":
            return readText(schema, isAlone);
        case "number":
            return readNumber(schema, false);
        case "integer":
            return readNumber(schema, true);
        case "boolean":
            return hasOnly(schema, ["type"])
                ? { kind: "choice", choices: [{ value: true }, { value: false }] }
                : undefined;
        case "array":
            return readArray(schema);
        default:
            return undefined;
    }
}

const PLAIN_WORD = /^[\w-]{1,64}$/;

/** As the server spells the place of a member. */
function memberPath(path: string, name: string): string {
    return PLAIN_WORD.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

interface Around {
    readonly id: string;
    readonly path: string;
    readonly mayNest: boolean;
    readonly initial: unknown;
}

function readFields(schema: Schema, around: Around): FormField[] | undefined {
    const { properties = {}, required = [], additionalProperties } = schema;
    const isKnown = hasOnly(schema, ["type", "properties", "required", "additionalProperties"]);
    // Members that only a schema describes can't be foreseen by a form.
    const isClosed =
        additionalProperties === undefined || typeof additionalProperties === "boolean";
    if (!isKnown || !isClosed || !isSchema(properties) || !Array.isArray(required)) {
        return undefined;
    }
    const entries = Object.entries(properties);
    if (!required.every((name) => typeof name === "string" && Object.hasOwn(properties, name))) {
        return undefined;
    }
    const preset = isSchema(around.initial) ? around.initial : {};
    const fields = entries.map(([name, each], at) =>
        isSchema(each)
            ? readField(name, each, {
                  id: `${around.id}-${at}`,
                  path: memberPath(around.path, name),
                  isRequired: required.includes(name),
                  mayNest: around.mayNest,
                  initial: Object.hasOwn(preset, name) ? preset[name] : each.default,
              })
            : undefined,
    );
    return fields.every((field) => field !== undefined) ? fields : undefined;
}

function readField(
    name: string,
    schema: Schema,
    around: Around & { isRequired: boolean },
): FormField | undefined {
    const found = typeOf(schema);
    const { id, path, isRequired, mayNest, initial } = around;
    let shape: FormField["shape"] | undefined;
    if (found?.type === "object" && !hasChoices(schema)) {
        const fields = mayNest && readFields(schema, { id, path, mayNest: false, initial });
        shape = fields && fields.length > 0 ? { kind: "group", fields } : undefined;
    } else {
        shape = readValue(schema, name === "");
    }
    return (
        shape && {
            id,
            name,
            path,
            title: textIn(schema, "title"),
            description: textIn(schema, "description"),
            isRequired,
            isNullable: found?.isNullable ?? false,
            shape,
            initial,
        }
    );
}

function countOf(fields: readonly FormField[]): number {
    return fields.reduce(
        (sum, { shape }) => sum + (shape.kind === "group" ? countOf(shape.fields) : 1),
        0,
    );
}

/** A text of any length: what is asked for without a schema. */
const ANY_TEXT: Schema = { type: "string", minLength: 1 };

/** Undefined: nobody can say in fields what this schema asks for. */
export function readForm(schema: unknown): AnswerForm | undefined {
    const asked = schema === null ? ANY_TEXT : schema;
    if (!isSchema(asked)) {
        return undefined;
    }
    const around = { id: "answer", path: ANSWER_PATH, mayNest: true, initial: asked.default };
    if (asked.type === "object" && !hasChoices(asked)) {
        const fields = readFields(asked, around);
        return fields && fields.length > 0 && countOf(fields) <= MOST_FIELDS
            ? { isSingle: false, fields }
            : undefined;
    }
    const field = readField("", asked, { ...around, isRequired: true });
    return field && { isSingle: true, fields: [field] };
}
