// SPDX-License-Identifier: Apache-2.0
// Whether a request asks for a WebSocket, judged before its handler is asked.
#pragma once

#include <cstdint>
#include <string>

#include "net/http_message.hpp"

namespace convene {

/// What a request says about WebSockets.
struct websocket_offer {
    enum class verdict : std::uint8_t {
        none,           ///< it asks for none
        good,           ///< all that RFC 6455 section 4.1 demands is there
        wrong_version,  ///< another version than 13
        malformed,
    };

    verdict what = verdict::none;
    std::string key;  ///< of a good one
};

[[nodiscard]] websocket_offer read_websocket_offer(const http_request& request);

/// Whether a comma-separated list holds a word, in any case. `lowered` is in lower case.
[[nodiscard]] bool lists_word(std::string_view list, std::string_view lowered) noexcept;

}  // namespace convene
