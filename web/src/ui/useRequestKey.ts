// SPDX-License-Identifier: Apache-2.0
// The key under which something is asked for once: kept while nobody knows whether it was done, else another one.
import { useRef } from "react";
import { problemOf } from "../api/problem";

export function useRequestKey() {
    const key = useRef("");
    return async function asked<Answer>(ask: (key: string) => Promise<Answer>): Promise<Answer> {
        key.current ||= crypto.randomUUID();
        try {
            const answer = await ask(key.current);
            key.current = "";
            return answer;
        } catch (thrown) {
            const { retryable, status } = problemOf(thrown);
            if (!retryable && status > 0 && status < 500) {
                key.current = "";
            }
            throw thrown;
        }
    };
}
