// SPDX-License-Identifier: Apache-2.0
// Forms of JSON schemas: which schemas become one, and the typed answers that come out of them.
import { describe, expect, it } from "vitest";
import { type AnswerForm, readForm } from "../src/store/answerForm";
import {
    answerOf,
    beginningOf,
    type Entered,
    placesIn,
    readJson,
    refusedFields,
} from "../src/store/answerValues";

function formOf(schema: unknown): AnswerForm {
    const form = readForm(schema);
    expect(form, JSON.stringify(schema)).toBeDefined();
    return form as AnswerForm;
}

/** Fills in a form by the paths of its fields, from what it begins with. */
function fill(schema: unknown, given: Record<string, string>) {
    const form = formOf(schema);
    const ids = new Map<string, string>();
    const walk = (fields: AnswerForm["fields"]): void => {
        for (const field of fields) {
            ids.set(field.path, field.id);
            if (field.shape.kind === "group") {
                walk(field.shape.fields);
            }
        }
    };
    walk(form.fields);
    const entered: Entered = {
        ...beginningOf(form),
        ...Object.fromEntries(
            Object.entries(given).map(([path, text]) => [ids.get(path) ?? path, text]),
        ),
    };
    const read = answerOf(form, entered);
    const pathOf = (id: string) => [...ids].find(([, each]) => each === id)?.[0] ?? id;
    return "answer" in read
        ? { answer: read.answer }
        : {
              wrong: Object.fromEntries(
                  [...read.misfits].map(([id, misfit]) => [pathOf(id), misfit]),
              ),
          };
}

const single = (schema: unknown, text: string) => fill(schema, { response: text });
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("a form", () => {
    it("IsMadeOfTheShapesThatPeopleAreAskedFor", () => {
        const shapes = [
            [null, "text"],
            [{ type: "string" }, "text"],
            [{ type: "integer", minimum: 1 }, "number"],
            [{ type: "number", multipleOf: 0.5 }, "number"],
            [{ type: "boolean" }, "choice"],
            [{ enum: ["a", 2, false, null] }, "choice"],
            [{ type: "string", enum: ["a"], enumNames: ["A"] }, "choice"],
            [{ oneOf: [{ const: "a", title: "A" }, { const: "b" }] }, "choice"],
            [{ const: 7 }, "choice"],
            [{ type: "array", items: { enum: ["a", "b"] }, uniqueItems: true }, "choices"],
            [{ type: "array", items: { type: "string" } }, "list"],
            [{ type: ["string", "null"] }, "text"],
        ];
        for (const [schema, kind] of shapes) {
            expect(formOf(schema).fields[0]?.shape.kind, JSON.stringify(schema)).toBe(kind);
        }
    });

    it("IsNotMadeOfWhatItDoesNotUnderstand", () => {
        const text = { type: "string" };
        const schemas: unknown[] = [
            {},
            true,
            [],
            "string",
            { type: "null" },
            { type: ["string", "integer"] },
            { $ref: "#/$defs/a", $defs: { a: text } },
            { allOf: [text] },
            { anyOf: [text, { type: "integer" }] },
            { oneOf: [{ const: 1 }], anyOf: [{ const: 1 }] },
            { not: text },
            { if: text, else: text },
            { type: "string", minLength: "3" },
            { type: "string", enum: ["a", 1] },
            { enum: [] },
            { enum: [{ a: 1 }] },
            { enum: Array.from({ length: 101 }, (_, at) => at) },
            { type: "array" },
            { type: "array", items: { type: "object" } },
            { type: "array", items: [text] },
            { type: "array", items: { type: "integer" } },
            { type: "array", items: { enum: ["a"] }, minItems: 2 },
            { type: "array", items: text, contains: { const: "a" } },
            object({}),
            object({ a: text }, { required: ["b"] }),
            object({ a: text }, { minProperties: 1 }),
            object({ a: text }, { additionalProperties: text }),
            object({ a: text }, { patternProperties: { b: text } }),
            object({ a: true }),
            object({ a: object({ b: object({ c: text }) }) }),
            object(Object.fromEntries(Array.from({ length: 61 }, (_, at) => [`f${at}`, text]))),
        ];
        for (const schema of schemas) {
            expect(readForm(schema), JSON.stringify(schema)).toBeUndefined();
        }
    });

    it("TellsLinesFromAWord", () => {
        const format = (schema: unknown) => {
            const shape = formOf(schema).fields[0]?.shape;
            return shape?.kind === "text" ? shape.format : undefined;
        };
        expect(format(null)).toBe("lines");
        expect(format({ type: "string", maxLength: 40 })).toBe("plain");
        expect(format(object({ a: { type: "string" } }))).toBe("plain");
        expect(format(object({ a: { type: "string", maxLength: 2000 } }))).toBe("lines");
        expect(format({ type: "string", format: "date" })).toBe("date");
        expect(format({ type: "string", format: "uuid", maxLength: 40 })).toBe("plain");
    });

    it("BeginsWithDefaults", () => {
        const schema = object(
            {
                name: { type: "string", default: "Ann" },
                count: { type: "integer", default: 3 },
                size: { enum: ["s", "m"], default: "m" },
                tags: { type: "array", items: { enum: ["a", "b", "c"] }, default: ["c", "a"] },
                odd: { type: "integer", default: "three" },
                to: object({ city: { type: "string" }, zip: { type: "string", default: "1" } }),
            },
            { default: { to: { city: "Kyoto" }, count: 4 } },
        );
        expect(fill(schema, {})).toEqual({
            answer: {
                name: "Ann",
                count: 4,
                size: "m",
                tags: ["a", "c"],
                to: { city: "Kyoto", zip: "1" },
            },
        });
    });
});

describe("an answer", () => {
    it("IsTyped", () => {
        const schema = object(
            {
                name: { type: "string" },
                amount: { type: "number" },
                count: { type: "integer" },
                isGift: { type: "boolean" },
                size: { enum: ["s", 7, null] },
                tags: { type: "array", items: { type: "string", enum: ["a", "b", "c"] } },
                lines: { type: "array", items: { type: "string" } },
                to: object({ city: { type: "string" } }, { required: ["city"] }),
            },
            { required: ["name", "amount", "count", "isGift", "size", "tags", "lines", "to"] },
        );
        const given = {
            "response.name": "Ann",
            "response.amount": "12.50",
            "response.count": "３",
            "response.isGift": "1",
            "response.size": "1",
            "response.tags": "2,0",
            "response.lines": " one \n\ntwo",
            "response.to.city": "Kyoto",
        };
        expect(fill(schema, given)).toEqual({
            answer: {
                name: "Ann",
                amount: 12.5,
                count: 3,
                isGift: false,
                size: 7,
                tags: ["a", "c"],
                lines: ["one", "two"],
                to: { city: "Kyoto" },
            },
        });
    });

    it("IsOneValueWhereTheSchemaWantsOne", () => {
        expect(single(null, "as you like")).toEqual({ answer: "as you like" });
        expect(single({ type: "integer" }, "-7")).toEqual({ answer: -7 });
        expect(single({ type: "number" }, "1e3")).toEqual({ answer: 1000 });
        expect(single({ type: "boolean" }, "0")).toEqual({ answer: true });
        expect(single({ type: ["integer", "null"] }, "")).toEqual({ answer: null });
        expect(single({ type: "array", items: { type: "string" } }, "")).toEqual({ answer: [] });
    });

    it("LeavesOutWhatNeedNotBeThere", () => {
        const address = object({ city: { type: "string" } }, { required: ["city"] });
        const schema = object({ note: { type: "string" }, count: { type: "integer" }, address });
        expect(fill(schema, { "response.note": "  " })).toEqual({ answer: {} });
        expect(fill(object({ address }, { required: ["address"] }), {})).toEqual({
            wrong: { "response.address.city": { reason: "required" } },
        });
    });

    it("NamesEveryFieldAtFault", () => {
        const schema = object(
            {
                name: { type: "string" },
                count: { type: "integer" },
                day: { type: "string", format: "date" },
            },
            { required: ["name", "count", "day"] },
        );
        expect(fill(schema, { "response.count": "few", "response.day": "2026-02-30" })).toEqual({
            wrong: {
                "response.name": { reason: "required" },
                "response.count": { reason: "notNumber" },
                "response.day": { reason: "notDate" },
            },
        });
    });

    it.each([
        [{ type: "integer" }, "1.5", { reason: "notInteger" }],
        [{ type: "integer" }, "9007199254740993", { reason: "notExact" }],
        [{ type: "number" }, "1e999", { reason: "notExact" }],
        [{ type: "number" }, "0x10", { reason: "notNumber" }],
        [{ type: "number" }, "1,000", { reason: "notNumber" }],
        [{ type: "integer", minimum: 3 }, "2", { reason: "min", bound: 3 }],
        [{ type: "integer", maximum: 3 }, "4", { reason: "max", bound: 3 }],
        [{ type: "number", exclusiveMinimum: 0 }, "0", { reason: "above", bound: 0 }],
        [{ type: "number", exclusiveMaximum: 1 }, "1", { reason: "below", bound: 1 }],
        [{ type: "number", multipleOf: 0.1 }, "0.25", { reason: "step", bound: 0.1 }],
        [{ type: "string", minLength: 3 }, "ab", { reason: "tooShort", bound: 3 }],
        [{ type: "string", maxLength: 2 }, "日本語", { reason: "tooLong", bound: 2 }],
        [{ type: "string", format: "email" }, "ann at home", { reason: "notEmail" }],
        [{ type: "string", format: "uri" }, "example.com", { reason: "notUri" }],
        [{ type: "boolean" }, "", { reason: "required" }],
        [{ type: "string" }, " ", { reason: "required" }],
    ])("OfTheSchema %j Is Not %j", (schema, text, misfit) => {
        expect(single(schema, text)).toEqual({ wrong: { response: misfit } });
    });

    it.each([
        [{ type: "number", multipleOf: 0.1 }, "0.3", 0.3],
        [{ type: "string", maxLength: 2 }, "👍👍", "👍👍"],
        [{ type: "integer" }, "−12", -12],
        [{ type: "string", format: "email" }, " ann@example.com ", "ann@example.com"],
        [{ type: "string", format: "uri" }, "urn:isbn:1", "urn:isbn:1"],
        [{ type: "string", format: "date" }, "2028-02-29", "2028-02-29"],
    ])("OfTheSchema %j Is %j", (schema, text, answer) => {
        expect(single(schema, text)).toEqual({ answer });
    });

    it("CountsWhatWasChosen", () => {
        const some = { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 2, maxItems: 2 };
        expect(single(some, "0")).toEqual({ wrong: { response: { reason: "tooFew", bound: 2 } } });
        expect(single(some, "0,1,2")).toEqual({
            wrong: { response: { reason: "tooMany", bound: 2 } },
        });
        expect(single(some, "2,1")).toEqual({ answer: ["b", "c"] });
        const lines = { type: "array", items: { type: "string", maxLength: 3 }, uniqueItems: true };
        expect(single(lines, "a\na")).toEqual({ wrong: { response: { reason: "twice" } } });
        expect(single(lines, "abcd")).toEqual({
            wrong: { response: { reason: "tooLong", bound: 3 } },
        });
    });

    it("HasMembersOfAnyName", () => {
        const schema = JSON.parse(
            '{"type": "object", "properties": {"__proto__": {"type": "string"}, "a b": {"type": "string"}}}',
        );
        const read = fill(schema, { "response.__proto__": "x", 'response["a b"]': "y" });
        expect(JSON.stringify(read)).toBe('{"answer":{"__proto__":"x","a b":"y"}}');
    });

    it("OfJsonKeepsItsNumbers", () => {
        expect(readJson('{"a": [1, 2.5, null]}')).toEqual({ answer: { a: [1, 2.5, null] } });
        expect(readJson(" ")).toEqual({ misfit: { reason: "required" } });
        expect(readJson("{a: 1}")).toEqual({ misfit: { reason: "notJson" } });
        expect(readJson('{"a": [12345678901234567890]}')).toEqual({
            misfit: { reason: "notExact" },
        });
    });
});

describe("a refusal of the server", () => {
    const form = formOf(
        object({
            "a b": { type: "string" },
            tags: { type: "array", items: { type: "string" } },
            to: object({ city: { type: "string" } }),
        }),
    );
    const refused = (...named: string[]) =>
        form.fields
            .flatMap((field) => (field.shape.kind === "group" ? field.shape.fields : [field]))
            .filter(({ id }) =>
                refusedFields(
                    form,
                    named.map((field) => ({ field, reason: "malformed" })),
                ).has(id),
            )
            .map(({ name }) => name);

    it("IsShownAtTheFieldThatItNames", () => {
        expect(refused("response.to.city")).toEqual(["city"]);
        expect(refused("response.tags[1]", 'response["a b"]')).toEqual(["a b", "tags"]);
    });

    it("SaysWhatIsMissing", () => {
        const nested = formOf({
            type: "object",
            required: ["to"],
            properties: {
                to: {
                    type: "object",
                    required: ["city"],
                    properties: { city: { type: "string" }, street: { type: "string" } },
                },
            },
        });
        const missing = (field: string) =>
            [...refusedFields(nested, [{ field, reason: "missing_field" }]).values()].map(
                ({ reason }) => reason,
            );
        expect(missing("response.to.city")).toEqual(["required"]);
        expect(missing("response.to")).toEqual(["required"]);
        expect(missing("response.to.street")).toEqual(["required"]);
        expect(missing("response.other")).toEqual([]);
    });

    it("IsNamedAsTheAnswerNamesIt", () => {
        const faults = ["response.a.b", 'response["c d"][1]', "response"].map((field) => ({
            field,
            reason: "wrong_type",
        }));
        expect(placesIn(faults)).toEqual(["a.b", '["c d"][1]']);
    });

    it("IsShownAtNoneWhereItNamesNone", () => {
        expect(refused("response")).toEqual([]);
        expect(refused("response.tagsAndMore")).toEqual([]);
    });
});
