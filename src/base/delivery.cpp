// SPDX-License-Identifier: Apache-2.0
// Deliveries: the words of their enumerators.
#include "convene/delivery.hpp"

#include "base/enumerator_of.hpp"

namespace convene {

std::string_view word_of(target_kind kind) noexcept {
    switch (kind) {
        using enum target_kind;
        case channel:
            return "channel";
        case agent:
            return "agent";
        case hook_after:
            return "hook_after";
    }
    return {};
}

std::optional<target_kind> target_kind_from(std::string_view word) noexcept {
    return enumerator_of(word, target_kind::channel);
}

std::string_view word_of(delivery_state state) noexcept {
    switch (state) {
        using enum delivery_state;
        case pending:
            return "pending";
        case streaming:
            return "streaming";
        case done:
            return "done";
        case failed:
            return "failed";
        case deferred:
            return "deferred";
        case skipped:
            return "skipped";
    }
    return {};
}

std::optional<delivery_state> delivery_state_from(std::string_view word) noexcept {
    return enumerator_of(word, delivery_state::pending);
}

}  // namespace convene
