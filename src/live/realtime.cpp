// SPDX-License-Identifier: Apache-2.0
// The words of realtime events.
#include "live/realtime.hpp"

#include "base/enumerator_of.hpp"

namespace convene {

std::string_view word_of(realtime_type type) noexcept {
    switch (type) {
        using enum realtime_type;
        case typing:
            return "typing";
        case presence:
            return "presence";
        case reaction:
            return "reaction";
        case read_receipt:
            return "read_receipt";
        case custom:
            return "custom";
    }
    return {};
}

std::optional<realtime_type> realtime_type_from(std::string_view word) noexcept {
    return enumerator_of(word, realtime_type::typing);
}

}  // namespace convene
