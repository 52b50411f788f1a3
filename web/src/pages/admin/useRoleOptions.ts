// SPDX-License-Identifier: Apache-2.0
// The roles that a person or a token can have, in the language of the page.
import { useTranslations } from "use-intl";
import type { UserRole } from "../../api/model";

const ROLES: readonly UserRole[] = ["member", "operator", "admin"];

export function useRoleOptions(): { value: UserRole; label: string }[] {
    const t = useTranslations("roles");
    return ROLES.map((value) => ({ value, label: t(value) }));
}
