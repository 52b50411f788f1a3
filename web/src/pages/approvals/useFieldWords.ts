// SPDX-License-Identifier: Apache-2.0
// What fields, choices and mistakes of a form are called.
import { useFormatter, useTranslations } from "use-intl";
import type { Choice, FormField } from "../../store/answerForm";
import type { Misfit } from "../../store/answerValues";
import { withoutTurns } from "../../store/exactText";

export function useFieldWords() {
    const t = useTranslations("answer");
    const format = useFormatter();
    return {
        titleOf: ({ title, name }: FormField) => withoutTurns(title || name).trim() || t("yours"),
        wordsOf: ({ title, value }: Choice) => {
            if (title !== undefined) {
                return withoutTurns(title);
            }
            if (value === null) {
                return t("none");
            }
            if (typeof value === "boolean") {
                return value ? t("yes") : t("no");
            }
            return withoutTurns(String(value));
        },
        sayMisfit: (misfit: Misfit) =>
            "bound" in misfit
                ? t(misfit.reason, {
                      bound: format.number(misfit.bound, { maximumFractionDigits: 20 }),
                  })
                : t(misfit.reason),
    };
}
