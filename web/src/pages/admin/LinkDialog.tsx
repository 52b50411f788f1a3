// SPDX-License-Identifier: Apache-2.0
// A link that was just made: it is shown once, and passed on by hand.
import { useFormatter, useTranslations } from "use-intl";
import type { MadeLink } from "../../api/model";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { SecretNote } from "../../ui/SecretNote";
import { useZone } from "../../ui/Time";
import { fullLink } from "../login/link";

export interface LinkDialogProps {
    name: string;
    link: MadeLink;
    onClose: () => void;
}

export function LinkDialog({ name, link, onClose }: LinkDialogProps) {
    const t = useTranslations("admin");
    const format = useFormatter();
    const timeZone = useZone();
    const until = format.dateTime(new Date(link.link_expires_at), {
        dateStyle: "medium",
        timeStyle: "short",
        timeZone,
    });
    return (
        <Dialog title={t("linkTitle", { name })} onClose={onClose}>
            <SecretNote
                label={t("linkLabel")}
                text={fullLink(link.link)}
                note={t("linkNote", { until })}
            />
            <DialogActions>
                <Button slot="close">{t("done")}</Button>
            </DialogActions>
        </Dialog>
    );
}
