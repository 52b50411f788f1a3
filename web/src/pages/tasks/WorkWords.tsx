// SPDX-License-Identifier: Apache-2.0
// Brings the words of workflows and executions to their pages: those who never go there do not load them.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { useMemo } from "react";
import { IntlProvider, useLocale, useMessages, useTimeZone } from "use-intl";
import { loadWorkMessages } from "../../i18n/catalogues";

export function WorkWords() {
    const locale = useLocale();
    const timeZone = useTimeZone();
    const shared = useMessages();
    const { data: own } = useQuery({
        queryKey: ["words", "work", locale],
        queryFn: () => loadWorkMessages(locale),
        staleTime: Number.POSITIVE_INFINITY,
        // Another language replaces the one that is there, not an empty page.
        placeholderData: keepPreviousData,
        throwOnError: true,
    });
    const messages = useMemo(() => own && { ...shared, ...own }, [shared, own]);
    return messages ? (
        <IntlProvider locale={locale} timeZone={timeZone} messages={messages}>
            <Outlet />
        </IntlProvider>
    ) : null;
}
