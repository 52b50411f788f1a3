// SPDX-License-Identifier: Apache-2.0
// What a provider says when it gives no answer, and whether it is worth asking again.
#pragma once

#include "convene/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace convene {

enum class retry_advice : std::uint8_t { give_up, ask_again };

struct provider_error {
    errc code = errc::model_unavailable;
    retry_advice advice = retry_advice::give_up;
    std::string type;  ///< the provider's word, for the log
    std::string text;  ///< the provider's sentence, for the log only
};

/// A reply that is no answer, by its status and its body, which may be anything.
[[nodiscard]] provider_error error_of_reply(int status, std::string_view body);

/// An error inside a stream, by the JSON of its frame.
[[nodiscard]] provider_error error_of_frame(std::string_view data);

}  // namespace convene
