// SPDX-License-Identifier: Apache-2.0
// Why the server refused a field, as a sentence below that field.
import { useTranslations } from "use-intl";

/** Reasons that have a sentence; what else there is stands with its word. */
const KNOWN = ["empty", "missing_field", "too_long", "malformed", "unknown_value"] as const;

export function useFieldReason(): (reason: string) => string {
    const t = useTranslations("workflows");
    return (reason) => {
        const known = KNOWN.find((one) => one === reason);
        return known ? t(`reason_${known}`) : t("reasonOther", { reason });
    };
}
