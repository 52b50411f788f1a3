// SPDX-License-Identifier: Apache-2.0
// The words of skills.
#include "store/skill_values.hpp"

namespace convene {

std::string_view word_of(skill_state state) noexcept {
    switch (state) {
        case skill_state::cloning:
            return "cloning";
        case skill_state::ready:
            return "ready";
        case skill_state::failed:
            return "failed";
    }
    return {};
}

}  // namespace convene
