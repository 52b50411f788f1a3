// SPDX-License-Identifier: Apache-2.0
// The people whom an @ may mean, above the field one writes in.
import { useTranslations } from "use-intl";
import { Avatar } from "../../ui/Avatar";
import menu from "../../ui/Menu.module.css";
import styles from "./MentionList.module.css";
import type { Mentions } from "./useMentions";

export function optionId(listId: string, at: number): string {
    return `${listId}-${at}`;
}

export function MentionList({ id, mentions }: { id: string; mentions: Mentions }) {
    const t = useTranslations("composer");
    const { people, chosen, pick } = mentions;
    if (people.length === 0) {
        return null;
    }
    return (
        <div id={id} role="listbox" aria-label={t("mention")} className={styles.list}>
            {people.map((person, at) => (
                <div
                    key={person.id}
                    id={optionId(id, at)}
                    role="option"
                    tabIndex={-1}
                    aria-selected={at === chosen}
                    className={menu.item}
                    data-focused={at === chosen ? "" : undefined}
                    // Pressed, not clicked: the field keeps the focus.
                    onPointerDown={(press) => {
                        press.preventDefault();
                        pick(person);
                    }}
                >
                    <Avatar
                        name={person.display_name}
                        kind={person.role === "agent" || person.role === "bot" ? "agent" : "person"}
                    />
                    <span className={styles.name}>{person.display_name}</span>
                </div>
            ))}
        </div>
    );
}
