// SPDX-License-Identifier: Apache-2.0
// What an agent says or does, in the form of a message: its name where it begins to speak, its edge beside it.
import type { ReactNode } from "react";
import { Avatar } from "../../ui/Avatar";
import rows from "./MessageRow.module.css";
import { useOpenRoom } from "./RoomContext";

export function AgentFrame({
    isContinued,
    children,
}: {
    isContinued: boolean;
    children: ReactNode;
}) {
    const { agentName } = useOpenRoom();
    return (
        <article
            className={`${rows.message} ${rows.agent} ${isContinued ? rows.continued : ""}`}
            aria-label={agentName}
        >
            <div className={rows.side}>
                {!isContinued && <Avatar name={agentName} kind="agent" />}
            </div>
            <div className={rows.content}>
                {!isContinued && (
                    <p className={rows.head}>
                        <span className={rows.name}>{agentName}</span>
                    </p>
                )}
                {children}
            </div>
        </article>
    );
}
