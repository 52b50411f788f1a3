// SPDX-License-Identifier: Apache-2.0
// What everything stands in: the languages, the query cache, the router.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { IntlProvider } from "use-intl";
import { Problem } from "../api/problem";
import { loadMessages, type Messages } from "../i18n/catalogues";
import { type Language, preferences } from "../store/preferences";
import { useReadable } from "../ui/useReadable";
import { makeRouter } from "./router";

const queries = new QueryClient({
    defaultOptions: {
        queries: {
            staleTime: 15_000,
            // What the server refuses for good is not asked again.
            retry: (count, thrown) =>
                count < 2 && (!(thrown instanceof Problem) || thrown.retryable),
        },
    },
});
const router = makeRouter(queries);

interface Loaded {
    language: Language;
    messages: Messages;
}

export function App() {
    const { language } = useReadable(preferences);
    const [loaded, setLoaded] = useState<Loaded>();
    useEffect(() => {
        let isCurrent = true;
        void loadMessages(language).then((messages) => {
            if (isCurrent) {
                setLoaded({ language, messages });
            }
        });
        return () => {
            isCurrent = false;
        };
    }, [language]);

    if (!loaded) {
        return null;
    }
    return (
        <IntlProvider
            locale={loaded.language}
            messages={loaded.messages}
            timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}
        >
            <QueryClientProvider client={queries}>
                <RouterProvider router={router} />
            </QueryClientProvider>
        </IntlProvider>
    );
}
