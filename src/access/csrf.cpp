// SPDX-License-Identifier: Apache-2.0
// The CSRF value: HMAC-SHA256 of a fixed text under the session's secret.
#include "access/csrf.hpp"

#include "base/base64.hpp"
#include "base/hmac.hpp"

namespace convene {

namespace {

// Frozen: workers of two versions serve one page.
constexpr std::string_view purpose = "convene csrf 1";

}  // namespace

std::string csrf_value(std::string_view session_secret) {
    return to_base64(hmac_sha256(session_secret, purpose), base64_form::url);
}

bool is_csrf_value(std::string_view given, std::string_view session_secret) {
    return is_equal_secret(given, csrf_value(session_secret));
}

}  // namespace convene
