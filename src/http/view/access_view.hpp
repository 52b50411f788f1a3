// SPDX-License-Identifier: Apache-2.0
// Showing users, tokens, links and the audit trail. No hash and no secret is among what is shown.
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.hpp"
#include "http/principal.hpp"
#include "http/schema.hpp"
#include "store/access_values.hpp"

namespace convene {

[[nodiscard]] const schema& user_role_schema();
[[nodiscard]] const schema& organization_schema();
[[nodiscard]] const schema& me_schema();
[[nodiscard]] const schema& user_schema();
[[nodiscard]] const schema& api_token_schema();
[[nodiscard]] const schema& audit_entry_schema();

void write_organization(json_writer& out, const organization& shown);

/// Who is asking; for a token `user` is null and there is no CSRF value.
[[nodiscard]] json_text me_as_json(
    const principal& who, const organization& around, std::string_view csrf_token
);

void write_user(json_writer& out, const user& shown);
[[nodiscard]] json_text user_as_json(const user& shown);

void write_api_token(json_writer& out, const api_token& shown);

void write_audit_entry(json_writer& out, const audit_entry& shown);

/// Where a link leads: the secret stands behind `#`, which no browser sends to a server.
[[nodiscard]] std::string link_to(std::string_view base_url, std::string_view token);

}  // namespace convene
