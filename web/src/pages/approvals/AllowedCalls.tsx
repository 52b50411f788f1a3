// SPDX-License-Identifier: Apache-2.0
// What is allowed by an approval: which calls, how many, and with exactly which arguments.
import { useTranslations } from "use-intl";
import type { ApprovalTool } from "../../api/model";
import { exactJson, stopOf } from "../../store/exactText";
import styles from "./ApprovalCard.module.css";

function Call({ call, isGiven }: { call: ApprovalTool; isGiven: boolean }) {
    const t = useTranslations("approvals");
    const bounds = [
        ...(call.arguments ? [["arguments", exactJson(call.arguments)] as const] : []),
        ...(call.schema ? [["schema", exactJson(call.schema)] as const] : []),
    ];
    return (
        <li className={styles.call}>
            <p>
                <code>{call.tool}</code>{" "}
                <span className={styles.meta}>
                    {t("uses", { count: call.uses })}
                    {isGiven && <> · {t("used", { count: call.used })}</>}
                </span>
            </p>
            {bounds.length === 0 && <p className={styles.meta}>{t("anyArguments")}</p>}
            {bounds.map(([kind, value]) => (
                <div key={kind}>
                    <p className={styles.meta}>{t(kind)}</p>
                    <pre className={styles.exact} tabIndex={stopOf(value)} dir="ltr">
                        {value}
                    </pre>
                </div>
            ))}
        </li>
    );
}

export function AllowedCalls({
    calls,
    isGiven,
}: {
    calls: readonly ApprovalTool[];
    isGiven: boolean;
}) {
    const t = useTranslations("approvals");
    if (calls.length === 0) {
        return <p className={styles.meta}>{t("noCalls")}</p>;
    }
    return (
        <div className={styles.calls}>
            <p className={styles.label}>{t("allows")}</p>
            <ul>
                {calls.map((call, at) => (
                    <Call key={at} call={call} isGiven={isGiven} />
                ))}
            </ul>
        </div>
    );
}
