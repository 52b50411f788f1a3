// SPDX-License-Identifier: Apache-2.0
// Looks after what waits for the person, whatever page is open, and says when something new does.
import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { withoutTurns } from "../../store/exactText";
import { announce } from "../../ui/announce";
import { useLiveQuery } from "../useLiveQuery";
import { openApprovalsQuery, useMyApprovals } from "./useApprovals";
import { notificationsQuery } from "./useNeedsMe";

export function Attention() {
    const t = useTranslations("approvals");
    const { isSuccess } = useLiveQuery({ ...openApprovalsQuery(), isTold: true });
    useLiveQuery({ ...notificationsQuery(), isTold: true });
    const mine = useMyApprovals();
    /** Undefined until it is known what waited already when the page was opened. */
    const known = useRef<ReadonlySet<string>>(undefined);
    useEffect(() => {
        if (!isSuccess) {
            return;
        }
        const before = known.current;
        const added = mine.filter((one) => before?.has(one.id) === false);
        known.current = new Set([...(before ?? []), ...mine.map((one) => one.id)]);
        const newest = added.at(-1);
        if (newest) {
            const title = withoutTurns(newest.title);
            announce(t(newest.kind === "approval" ? "needed" : "asksYou", { title }));
        }
    });
    return null;
}
