// SPDX-License-Identifier: Apache-2.0
// Coming in: by password, or by a link that is good once and may set a password.
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { logInWithLink, logInWithPassword, setPassword } from "../../api/auth";
import { setCsrfToken } from "../../api/client";
import type { Me } from "../../api/model";
import { type Problem, problemOf } from "../../api/problem";
import { LANGUAGES, preferences, setPreference } from "../../store/preferences";
import { ProblemNote } from "../../ui/ProblemNote";
import { useReadable } from "../../ui/useReadable";
import { LinkForm } from "./LinkForm";
import styles from "./LoginPage.module.css";
import { linkTokenOf } from "./link";
import { PasswordForm } from "./PasswordForm";

const route = getRouteApi("/login");

/** What a used or expired link is answered with. */
const LINK_REFUSED = new Set([401, 404, 409, 410]);

export function LoginPage() {
    const t = useTranslations("login");
    const { to } = route.useSearch();
    const router = useRouter();
    const queries = useQueryClient();
    const [link, setLink] = useState(() => linkTokenOf(location.hash));
    const [problem, setProblem] = useState<Problem>();
    const [note, setNote] = useState<"wrong" | "linkUsed">();
    const [isPasswordNeeded, setIsPasswordNeeded] = useState(false);
    const [isBusy, setIsBusy] = useState(false);

    async function enter(attempt: () => Promise<Me>): Promise<void> {
        setIsBusy(true);
        setProblem(undefined);
        setNote(undefined);
        try {
            const me = await attempt();
            setCsrfToken(me.csrf_token);
            queries.clear();
            queries.setQueryData(["me"], me);
            router.history.replace(to ?? "/rooms");
        } catch (thrown) {
            const refusal = problemOf(thrown);
            if (refusal.code === "PASSWORD_NEEDED") {
                setIsPasswordNeeded(true);
            } else if (link !== "" && LINK_REFUSED.has(refusal.status)) {
                setNote("linkUsed");
            } else if (refusal.status === 401) {
                setNote("wrong");
            } else {
                setProblem(refusal);
            }
        }
        setIsBusy(false);
    }

    const linkLead = isPasswordNeeded ? "passwordLead" : "linkLead";
    const lead = link === "" ? "lead" : linkLead;
    return (
        <main className={styles.page}>
            <title>{`${t(link === "" ? "title" : "linkTitle")} · Convene`}</title>
            <div className={styles.card}>
                <p className={styles.brand}>
                    <img src="/icon.svg" alt="" width={28} height={28} />
                    Convene
                </p>
                <h1>{t(link === "" ? "title" : "linkTitle")}</h1>
                <p className={styles.lead}>{t(lead)}</p>
                {problem && <ProblemNote problem={problem} />}
                {note && (
                    <p role="alert" className={styles.refused}>
                        {t(note)}
                    </p>
                )}
                {link === "" ? (
                    <PasswordForm
                        isBusy={isBusy}
                        onSubmit={(email, password) =>
                            enter(() => logInWithPassword(email, password))
                        }
                    />
                ) : (
                    <LinkForm
                        isBusy={isBusy}
                        isPasswordNeeded={isPasswordNeeded}
                        onPassword={(password) => enter(() => setPassword(link, password))}
                        onEnter={() => enter(() => logInWithLink(link))}
                        onGiveUp={() => {
                            history.replaceState(null, "", location.pathname + location.search);
                            setNote(undefined);
                            setLink("");
                        }}
                    />
                )}
            </div>
            <LanguageSwitch />
        </main>
    );
}

function LanguageSwitch() {
    const t = useTranslations();
    const { language } = useReadable(preferences);
    return (
        <nav aria-label={t("login.language")} className={styles.languages}>
            {LANGUAGES.map((each) => (
                <button
                    key={each}
                    type="button"
                    lang={each}
                    aria-pressed={each === language}
                    onClick={() => setPreference("language", each)}
                >
                    {t(`account.${each}`)}
                </button>
            ))}
        </nav>
    );
}
