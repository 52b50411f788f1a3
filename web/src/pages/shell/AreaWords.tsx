// SPDX-License-Identifier: Apache-2.0
// Brings the words of a part of the page to it: those who never go there do not load them.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { IntlProvider, useLocale, useMessages, useTimeZone } from "use-intl";
import { type Area, loadAreaMessages } from "../../i18n/catalogues";

export function AreaWords({ area, children }: { area: Area; children: ReactNode }) {
    const locale = useLocale();
    const timeZone = useTimeZone();
    const shared = useMessages();
    const { data: own } = useQuery({
        queryKey: ["words", area, locale],
        queryFn: () => loadAreaMessages(area, locale),
        staleTime: Number.POSITIVE_INFINITY,
        // Another language replaces the one that is there, not an empty page.
        placeholderData: keepPreviousData,
        throwOnError: true,
    });
    const messages = useMemo(() => own && { ...shared, ...own }, [shared, own]);
    return messages ? (
        <IntlProvider locale={locale} timeZone={timeZone} messages={messages}>
            {children}
        </IntlProvider>
    ) : null;
}

export function WorkWords() {
    return (
        <AreaWords area="work">
            <Outlet />
        </AreaWords>
    );
}

export function OperateWords() {
    return (
        <AreaWords area="operate">
            <Outlet />
        </AreaWords>
    );
}
