// SPDX-License-Identifier: Apache-2.0
// What agents ask the person, of one kind, whichever is over first on top.
import { Section } from "../../ui/Page";
import { KeptCard } from "../approvals/ApprovalCard";
import type { Kept } from "../approvals/useKept";

export interface InboxQuestionsProps {
    title: string;
    kept: readonly Kept[];
    /** Of all that waits. */
    first: Kept | undefined;
    onDismiss: (id: string) => void;
}

export function InboxQuestions({ title, kept, first, onDismiss }: InboxQuestionsProps) {
    if (kept.length === 0) {
        return null;
    }
    return (
        <Section title={title}>
            {kept.map((one) => (
                <KeptCard
                    key={one.asked.id}
                    kept={one}
                    place="inbox"
                    isFirst={one === first}
                    onDismiss={() => onDismiss(one.asked.id)}
                />
            ))}
        </Section>
    );
}
