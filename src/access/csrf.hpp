// SPDX-License-Identifier: Apache-2.0
// The value by which a page of ours proves that it sent a request, and not another site through the browser.
#pragma once

#include <string>
#include <string_view>

namespace convene {

/// The value of a session, a function of its secret: only who has the cookie can compute it, every worker computes
/// the same, and it ends with the session.
[[nodiscard]] std::string csrf_value(std::string_view session_secret);

/// Compares in constant time.
[[nodiscard]] bool is_csrf_value(std::string_view given, std::string_view session_secret);

}  // namespace convene
