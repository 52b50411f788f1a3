// SPDX-License-Identifier: Apache-2.0
// The words of approvals.
#include "store/approval_values.hpp"

namespace convene {

std::string_view word_of(approval_kind kind) noexcept {
    switch (kind) {
        case approval_kind::approval:
            return "approval";
        case approval_kind::input:
            return "input";
    }
    return {};
}

std::string_view word_of(approval_state state) noexcept {
    switch (state) {
        using enum approval_state;
        case pending:
            return "pending";
        case approved:
            return "approved";
        case rejected:
            return "rejected";
        case returned:
            return "returned";
        case expired:
            return "expired";
        case cancelled:
            return "cancelled";
    }
    return {};
}

std::optional<approval_state> approval_state_from(std::string_view word) noexcept {
    for (int number = 1; number <= static_cast<int>(approval_state::cancelled); ++number) {
        const auto state = static_cast<approval_state>(number);
        if (word_of(state) == word) {
            return state;
        }
    }
    return std::nullopt;
}

}  // namespace convene
