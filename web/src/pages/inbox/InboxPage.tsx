// SPDX-License-Identifier: Apache-2.0
// What needs the person: what only they can decide first, then what they were told, then what is said in rooms. Each part
// fails by itself.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { problemOf } from "../../api/problem";
import { besidesQuestions } from "../../store/notices";
import { Button } from "../../ui/Button";
import { Empty, Page, Section, Skeleton } from "../../ui/Page";
import { ProblemNote } from "../../ui/ProblemNote";
import { useReadable } from "../../ui/useReadable";
import { openApprovalsQuery, useMyApprovals } from "../approvals/useApprovals";
import { useKept } from "../approvals/useKept";
import { notificationsQuery } from "../approvals/useNeedsMe";
import { useMarkAllRead } from "../rooms/useMarkAllRead";
import { useOrderedRooms, useRooms } from "../rooms/useRooms";
import { AreaWords } from "../shell/AreaWords";
import { useSession } from "../shell/SessionContext";
import { usePageTitle } from "../shell/usePageTitle";
import { InboxQuestions } from "./InboxQuestions";
import { InboxRooms } from "./InboxRooms";
import { Notices } from "./Notices";

/** A part that could not be loaded; one that was loaded before stays as it was. */
function PartProblem({ title, query }: { title: string; query: UseQueryResult<unknown> }) {
    if (!query.isLoadingError) {
        return null;
    }
    return (
        <Section title={title}>
            <ProblemNote problem={problemOf(query.error)} onRetry={() => void query.refetch()} />
        </Section>
    );
}

export function InboxPage() {
    const t = useTranslations("inbox");
    const session = useSession();
    const rooms = useRooms(session);
    const ordered = useOrderedRooms(session);
    const counts = useReadable(session.unread.counts);
    const markAllRead = useMarkAllRead(session);
    const approvals = useQuery(openApprovalsQuery());
    const notifications = useQuery(notificationsQuery());
    const { kept, dismiss } = useKept(useMyApprovals());
    usePageTitle(t("title"));

    const approvalsKept = kept.filter(({ asked }) => asked.kind === "approval");
    const questionsKept = kept.filter(({ asked }) => asked.kind === "input");
    const first = [...approvalsKept, ...questionsKept].find(({ isOpen }) => isOpen);
    const unread = ordered.filter((room) => (counts.get(room.id)?.unread ?? 0) > 0);
    const areRoomsKnown = rooms.isSuccess && ordered.every((room) => counts.has(room.id));
    const told = besidesQuestions(notifications.data?.notifications ?? []);
    const isShort = kept.length + told.length + unread.length === 0;
    const isAllKnown = areRoomsKnown && approvals.isSuccess && notifications.isSuccess;
    const isFailed = rooms.isError || approvals.isLoadingError || notifications.isLoadingError;

    return (
        <Page
            title={t("title")}
            actions={
                // Not before all counts are there: it would mark what is known so far, and call that all.
                areRoomsKnown &&
                unread.length > 0 && <Button onPress={markAllRead}>{t("markAllRead")}</Button>
            }
        >
            {isShort && !isAllKnown && !isFailed && <Skeleton />}
            {isShort && isAllKnown && (
                <Empty title={t("empty")}>
                    <p>{t("emptyHelp")}</p>
                </Empty>
            )}
            <PartProblem title={t("approvals")} query={approvals} />
            <InboxQuestions
                title={t("approvals")}
                kept={approvalsKept}
                first={first}
                onDismiss={dismiss}
            />
            <InboxQuestions
                title={t("questions")}
                kept={questionsKept}
                first={first}
                onDismiss={dismiss}
            />
            <PartProblem title={t("notifications")} query={notifications} />
            {told.length > 0 && (
                <AreaWords area="notices">
                    <Notices
                        title={t("notifications")}
                        notifications={told}
                        hasMore={notifications.data?.next_cursor !== null}
                    />
                </AreaWords>
            )}
            {rooms.isError && (
                <ProblemNote
                    problem={problemOf(rooms.error)}
                    onRetry={() => void rooms.refetch()}
                />
            )}
            <InboxRooms unread={unread} counts={counts} />
        </Page>
    );
}
