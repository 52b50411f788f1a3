// SPDX-License-Identifier: Apache-2.0
// The list of keyboard shortcuts, and the switch for those of a single letter.
import { useTranslations } from "use-intl";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { LetterKeys } from "../settings/LetterKeys";
import { AreaWords } from "./AreaWords";
import styles from "./KeyHelp.module.css";

const KEYS = [
    ["palette", "Ctrl K"],
    ["toInbox", "g", "i"],
    ["toRooms", "g", "r"],
    ["toWorkflows", "g", "w"],
    ["toSettings", "g", "s"],
    ["regions", "F6"],
    ["help", "?"],
    ["unreadRoom", "n", "p"],
    ["walk", "↑", "↓", "j", "k"],
    ["thread", "t"],
    ["react", "e"],
    ["unread", "u"],
    ["decide", "a", "x"],
    ["edit", "↑"],
    ["newest", "End"],
    ["send", "Enter", "Ctrl Enter"],
    ["stop", "Ctrl ."],
    ["unfold", "o"],
    ["escape", "Esc"],
    ["allRead", "Shift Esc"],
] as const;

interface KeyHelpProps {
    onClose: () => void;
}

function KeyList({ onClose }: KeyHelpProps) {
    const t = useTranslations("keyHelp");
    return (
        <Dialog title={t("title")} onClose={onClose}>
            <dl className={styles.list}>
                {KEYS.map(([name, ...keys]) => (
                    <div key={name} className={styles.row}>
                        <dt>{t(name)}</dt>
                        <dd>
                            {keys.map((key) => (
                                <kbd key={key}>{key}</kbd>
                            ))}
                        </dd>
                    </div>
                ))}
            </dl>
            <LetterKeys />
            <DialogActions>
                <Button slot="close">{t("close")}</Button>
            </DialogActions>
        </Dialog>
    );
}

export default function KeyHelp(props: KeyHelpProps) {
    return (
        <AreaWords area="keys">
            <KeyList {...props} />
        </AreaWords>
    );
}
