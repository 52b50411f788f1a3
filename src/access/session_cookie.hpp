// SPDX-License-Identifier: Apache-2.0
// The cookie that carries a browser's session.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace convene {

inline constexpr std::string_view session_cookie_name = "convene_session";

enum class transport_security {
    plain,
    tls,  ///< the cookie is never sent without it
};

/// The session's secret in a `Cookie` header. Nothing if there is none, or several that differ: somebody put one
/// there.
[[nodiscard]] std::optional<std::string> session_secret_in(std::string_view cookie_header);

/// The value of `Set-Cookie`.
[[nodiscard]] std::string session_cookie(
    std::string_view session_secret, std::chrono::seconds lifetime, transport_security transport
);

/// The value of `Set-Cookie` that removes it.
[[nodiscard]] std::string removed_session_cookie(transport_security transport);

}  // namespace convene
