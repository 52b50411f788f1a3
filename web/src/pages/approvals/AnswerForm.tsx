// SPDX-License-Identifier: Apache-2.0
// Answers a question of an agent: in fields where its schema is one that fields can ask for, else as JSON.
import { useId, useMemo, useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import type { Approval } from "../../api/model";
import { type AnswerForm as Form, readForm } from "../../store/answerForm";
import {
    answerOf,
    beginningOf,
    type Misfit,
    type Misfits,
    placesIn,
    readJson,
    refusedFields,
} from "../../store/answerValues";
import { exactJson, stopOf, withoutTurns } from "../../store/exactText";
import { Button } from "../../ui/Button";
import { AnswerField } from "./AnswerField";
import styles from "./AnswerForm.module.css";
import { type Deciding } from "./useDecide";
import { useFieldWords } from "./useFieldWords";

interface AnswerFormProps {
    asked: Approval;
    deciding: Deciding;
    look: "filled" | "outlined";
}

export function AnswerForm({ asked, deciding, look }: AnswerFormProps) {
    const form = useMemo(() => readForm(asked.response_schema), [asked.response_schema]);
    return form ? (
        <FieldsForm form={form} deciding={deciding} look={look} />
    ) : (
        <JsonForm schema={asked.response_schema} deciding={deciding} look={look} />
    );
}

function Buttons({ deciding, look }: Omit<AnswerFormProps, "asked">) {
    const t = useTranslations("approvals");
    const { asked } = deciding;
    return (
        <div className={styles.buttons}>
            <Button type="submit" look={look} isDisabled={asked === "rejected"}>
                {asked === "approved" ? t("asked") : t("answer")}
            </Button>
            <Button
                data-decide="reject"
                isDisabled={asked === "approved"}
                onPress={() => void deciding.decide("rejected")}
            >
                {asked === "rejected" ? t("asked") : t("decline")}
            </Button>
        </div>
    );
}

/** The server found fault with the answer: with which fields, where it says so. */
function useRefused(form: Form | undefined, { problem }: Deciding): Misfits | undefined {
    return useMemo(() => {
        if (problem?.status !== 422) {
            return undefined;
        }
        return form ? refusedFields(form, problem.fields) : new Map();
    }, [form, problem]);
}

function FieldsForm({ form, deciding, look }: { form: Form } & Omit<AnswerFormProps, "asked">) {
    const t = useTranslations("answer");
    const format = useFormatter();
    const { titleOf } = useFieldWords();
    const [entered, setEntered] = useState(() => beginningOf(form));
    const [misfits, setMisfits] = useState<Misfits>(new Map());
    const refused = useRefused(form, deciding);
    /** What was changed since the server refused it may be right now. */
    const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
    const place = useRef<HTMLFormElement>(null);
    const shown = new Map(
        [...(refused ?? []), ...misfits].filter(([id]) => misfits.has(id) || !changed.has(id)),
    );
    const leaves = form.fields.flatMap((field) =>
        field.shape.kind === "group" ? field.shape.fields : [field],
    );
    const wrong = leaves.filter(({ id }) => shown.has(id));

    function send(): void {
        const read = answerOf(form, entered);
        setChanged(new Set());
        if ("answer" in read) {
            setMisfits(new Map());
            void deciding.decide("approved", read.answer);
            return;
        }
        setMisfits(read.misfits);
        const [first] = leaves.filter(({ id }) => read.misfits.has(id));
        place.current
            ?.querySelector<HTMLElement>(`[data-field="${first?.id}"]`)
            ?.querySelector<HTMLElement>("input, select, textarea")
            ?.focus();
    }

    return (
        <form
            ref={place}
            noValidate
            className={styles.form}
            onSubmit={(submit) => {
                submit.preventDefault();
                if (deciding.asked === undefined) {
                    send();
                }
            }}
        >
            <div className={styles.fields} data-decide="approve">
                {form.fields.map((field) => (
                    <AnswerField
                        key={field.id}
                        field={field}
                        entered={entered}
                        misfits={shown}
                        onChange={(id, value) => {
                            setEntered((held) => ({ ...held, [id]: value }));
                            setMisfits(
                                (held) => new Map([...held].filter(([other]) => other !== id)),
                            );
                            setChanged((held) => new Set(held).add(id));
                        }}
                    />
                ))}
            </div>
            {wrong.length > 0 && (
                <p role="alert" className={styles.summary}>
                    {t("wrong", { fields: format.list(wrong.map(titleOf)) })}
                </p>
            )}
            {refused && wrong.length === 0 && changed.size === 0 && (
                <p role="alert" className={styles.summary}>
                    {t("misfit")}
                </p>
            )}
            <Buttons deciding={deciding} look={look} />
        </form>
    );
}

function emptyJson(schema: unknown): string {
    const { type, default: preset } = (schema ?? {}) as { type?: unknown; default?: unknown };
    if (preset !== undefined) {
        return exactJson(preset);
    }
    return type === "object" ? "{\n  \n}" : type === "array" ? "[]" : "";
}

function JsonForm({
    schema,
    deciding,
    look,
}: { schema: unknown } & Omit<AnswerFormProps, "asked">) {
    const t = useTranslations("answer");
    const id = useId();
    const { sayMisfit } = useFieldWords();
    const [text, setText] = useState(() => emptyJson(schema));
    const [misfit, setMisfit] = useState<Misfit>();
    const refused = useRefused(undefined, deciding);
    const [isChanged, setIsChanged] = useState(false);
    const field = useRef<HTMLTextAreaElement>(null);
    const shown = useMemo(() => exactJson(schema), [schema]);
    const format = useFormatter();
    const places = placesIn(deciding.problem?.fields ?? []).map(withoutTurns);
    const refusal =
        places.length > 0 ? t("misfitAt", { places: format.list(places) }) : t("misfit");
    const error = misfit ? sayMisfit(misfit) : refused && !isChanged ? refusal : undefined;

    function send(): void {
        const read = readJson(text);
        setIsChanged(false);
        if ("misfit" in read) {
            setMisfit(read.misfit);
            field.current?.focus();
        } else {
            setMisfit(undefined);
            void deciding.decide("approved", read.answer);
        }
    }

    return (
        <form
            noValidate
            className={styles.form}
            onSubmit={(submit) => {
                submit.preventDefault();
                if (deciding.asked === undefined) {
                    send();
                }
            }}
        >
            <div className={styles.json} data-decide="approve">
                <label htmlFor={id}>{t("json")}</label>
                <textarea
                    ref={field}
                    id={id}
                    rows={6}
                    dir="ltr"
                    spellCheck={false}
                    className={styles.code}
                    aria-invalid={error !== undefined}
                    aria-describedby={`${id}-note`}
                    value={text}
                    onChange={(change) => {
                        setText(change.target.value);
                        setMisfit(undefined);
                        setIsChanged(true);
                    }}
                />
                <p
                    id={`${id}-note`}
                    role={error === undefined ? undefined : "alert"}
                    className={error === undefined ? styles.help : styles.error}
                >
                    {error ?? t("jsonHelp")}
                </p>
            </div>
            <details className={styles.schema} open>
                <summary>{t("schema")}</summary>
                <pre tabIndex={stopOf(shown)} dir="ltr">
                    {shown}
                </pre>
            </details>
            <Buttons deciding={deciding} look={look} />
        </form>
    );
}
