// SPDX-License-Identifier: Apache-2.0
// One field of an answer: its title, its control, and what is wrong with what was entered.
import { type ReactNode, useId } from "react";
import { useTranslations } from "use-intl";
import type {
    ChoiceShape,
    ChoicesShape,
    FormField,
    GroupShape,
    ListShape,
    NumberShape,
    TextShape,
} from "../../store/answerForm";
import type { Entered, Misfits } from "../../store/answerValues";
import { withoutTurns } from "../../store/exactText";
import input from "../../ui/Field.module.css";
import styles from "./AnswerForm.module.css";
import { useFieldWords } from "./useFieldWords";

/** More choices than these are a list to open. */
const MOST_RADIOS = 6;

export interface AnswerFieldProps {
    field: FormField;
    entered: Entered;
    misfits: Misfits;
    onChange: (id: string, entered: string) => void;
}

/** What a control needs to know of the field around it. */
interface ControlProps<Shape> {
    shape: Shape;
    entered: string;
    onChange: (entered: string) => void;
    id: string;
    isRequired: boolean;
    isWrong: boolean;
    describedBy: string | undefined;
}

function TextControl({ shape, entered, onChange, ...around }: ControlProps<TextShape>) {
    const { id, isRequired, isWrong, describedBy } = around;
    const control = {
        id,
        value: entered,
        className: input.input,
        "aria-required": isRequired,
        "aria-invalid": isWrong,
        "aria-describedby": describedBy,
        onChange: (change: { target: { value: string } }) => onChange(change.target.value),
    };
    if (shape.format === "lines") {
        return (
            <textarea
                {...control}
                rows={3}
                dir="auto"
                className={`${input.input} ${input.lines}`}
            />
        );
    }
    if (shape.format === "date") {
        return <input {...control} type="date" />;
    }
    const mode = shape.format === "plain" ? "text" : shape.format === "uri" ? "url" : "email";
    return <input {...control} type="text" inputMode={mode} dir="auto" autoComplete="off" />;
}

function NumberControl({ shape, entered, onChange, ...around }: ControlProps<NumberShape>) {
    return (
        <input
            id={around.id}
            type="text"
            // The keyboards of phones for whole numbers have no minus.
            inputMode={shape.isInteger && (shape.min ?? -1) >= 0 ? "numeric" : "text"}
            autoComplete="off"
            className={`${input.input} ${styles.number}`}
            value={entered}
            aria-required={around.isRequired}
            aria-invalid={around.isWrong}
            aria-describedby={around.describedBy}
            onChange={(change) => onChange(change.target.value)}
        />
    );
}

function ListControl({ entered, onChange, ...around }: ControlProps<ListShape>) {
    return (
        <textarea
            id={around.id}
            rows={3}
            dir="auto"
            className={`${input.input} ${input.lines}`}
            value={entered}
            aria-required={around.isRequired}
            aria-invalid={around.isWrong}
            aria-describedby={around.describedBy}
            onChange={(change) => onChange(change.target.value)}
        />
    );
}

function SelectControl({ shape, entered, onChange, ...around }: ControlProps<ChoiceShape>) {
    const t = useTranslations("answer");
    const { wordsOf } = useFieldWords();
    return (
        <select
            id={around.id}
            className={input.select}
            value={entered}
            aria-required={around.isRequired}
            aria-invalid={around.isWrong}
            aria-describedby={around.describedBy}
            onChange={(change) => onChange(change.target.value)}
        >
            <option value="">{around.isRequired ? t("choose") : t("noAnswer")}</option>
            {shape.choices.map((choice, at) => (
                <option key={at} value={at}>
                    {wordsOf(choice)}
                </option>
            ))}
        </select>
    );
}

function RadioControl({ shape, entered, onChange, ...around }: ControlProps<ChoiceShape>) {
    const t = useTranslations("answer");
    const { wordsOf } = useFieldWords();
    const choices = shape.choices.map((choice, at) => ({ at: String(at), words: wordsOf(choice) }));
    // What was chosen can be taken back where it need not be.
    const all = around.isRequired ? choices : [...choices, { at: "", words: t("noAnswer") }];
    return (
        <div className={styles.choices}>
            {all.map(({ at, words }) => (
                <label key={at}>
                    <input
                        type="radio"
                        name={around.id}
                        checked={entered === at}
                        aria-invalid={around.isWrong}
                        onChange={() => onChange(at)}
                    />
                    <span dir="auto">{words}</span>
                </label>
            ))}
        </div>
    );
}

function TickControl({ shape, entered, onChange, ...around }: ControlProps<ChoicesShape>) {
    const { wordsOf } = useFieldWords();
    const ticked = entered === "" ? [] : entered.split(",");
    return (
        <div className={styles.choices}>
            {shape.choices.map((choice, place) => {
                const at = String(place);
                return (
                    <label key={at}>
                        <input
                            type="checkbox"
                            checked={ticked.includes(at)}
                            aria-invalid={around.isWrong}
                            onChange={({ target }) =>
                                onChange(
                                    (target.checked
                                        ? [...ticked, at]
                                        : ticked.filter((each) => each !== at)
                                    ).join(","),
                                )
                            }
                        />
                        <span dir="auto">{wordsOf(choice)}</span>
                    </label>
                );
            })}
        </div>
    );
}

function Group({ field, shape, ...props }: AnswerFieldProps & { shape: GroupShape }) {
    const { titleOf } = useFieldWords();
    return (
        <fieldset className={styles.group}>
            <legend dir="auto">{titleOf(field)}</legend>
            {field.description !== "" && (
                <p className={input.help} dir="auto">
                    {withoutTurns(field.description)}
                </p>
            )}
            <div>
                {shape.fields.map((each) => (
                    <AnswerField key={each.id} {...props} field={each} />
                ))}
            </div>
        </fieldset>
    );
}

/** A title belongs to its control, or to a group of them. */
function Named({ isGroup, id, describedBy, title, children }: NamedProps) {
    return isGroup ? (
        <fieldset className={styles.field} aria-describedby={describedBy}>
            <legend dir="auto">{title}</legend>
            {children}
        </fieldset>
    ) : (
        <div className={input.field}>
            <label htmlFor={id} dir="auto">
                {title}
            </label>
            {children}
        </div>
    );
}

interface NamedProps {
    isGroup: boolean;
    id: string;
    describedBy: string | undefined;
    title: ReactNode;
    children: ReactNode;
}

export function AnswerField(props: AnswerFieldProps) {
    const { field, entered, misfits, onChange } = props;
    const t = useTranslations("answer");
    const { titleOf, sayMisfit } = useFieldWords();
    // Two questions on a page have fields of the same names.
    const around = useId();
    const { shape, id, isRequired } = field;
    if (shape.kind === "group") {
        return <Group {...props} shape={shape} />;
    }
    const misfit = misfits.get(id);
    const hint = shape.kind === "list" ? t("listHelp") : "";
    const help = [withoutTurns(field.description), hint].filter((each) => each !== "").join(" ");
    const note = misfit ? sayMisfit(misfit) : help;
    const noteId = `${around}-note`;
    const describedBy = note === "" ? undefined : noteId;
    const control = {
        id: `${around}-control`,
        entered: entered[id] ?? "",
        onChange: (value: string) => onChange(id, value),
        isRequired,
        isWrong: misfit !== undefined,
        describedBy,
    };
    const isRadios = shape.kind === "choice" && shape.choices.length <= MOST_RADIOS;
    return (
        <div data-field={id} className={styles.place}>
            <Named
                isGroup={isRadios || shape.kind === "choices"}
                id={control.id}
                describedBy={describedBy}
                title={
                    <>
                        {titleOf(field)}
                        {!isRequired && <span className={styles.optional}> {t("optional")}</span>}
                    </>
                }
            >
                {shape.kind === "text" && <TextControl {...control} shape={shape} />}
                {shape.kind === "number" && <NumberControl {...control} shape={shape} />}
                {shape.kind === "list" && <ListControl {...control} shape={shape} />}
                {shape.kind === "choices" && <TickControl {...control} shape={shape} />}
                {shape.kind === "choice" &&
                    (isRadios ? (
                        <RadioControl {...control} shape={shape} />
                    ) : (
                        <SelectControl {...control} shape={shape} />
                    ))}
                {note !== "" && (
                    <p id={noteId} className={misfit ? input.error : input.help} dir="auto">
                        {note}
                    </p>
                )}
            </Named>
        </div>
    );
}
