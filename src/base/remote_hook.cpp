// SPDX-License-Identifier: Apache-2.0
// Words of remote hooks.
#include "convene/remote_hook.hpp"

#include "base/enumerator_of.hpp"

namespace convene {

std::string_view word_of(hook_failure_policy policy) noexcept {
    switch (policy) {
        case hook_failure_policy::fail_open:
            return "fail_open";
        case hook_failure_policy::fail_closed:
            return "fail_closed";
    }
    return {};
}

std::optional<hook_failure_policy> hook_failure_policy_from(std::string_view word) noexcept {
    return enumerator_of(word, hook_failure_policy::fail_open);
}

std::string_view word_of(hook_mode mode) noexcept {
    switch (mode) {
        case hook_mode::remote:
            return "remote";
        case hook_mode::serial:
            return "serial";
        case hook_mode::after_delivery:
            return "after_delivery";
    }
    return {};
}

std::optional<hook_mode> hook_mode_from(std::string_view word) noexcept {
    return enumerator_of(word, hook_mode::remote);
}

milliseconds longest_deadline(hook_mode mode) noexcept {
    return mode == hook_mode::serial ? milliseconds{2'000} : milliseconds{10'000};
}

}  // namespace convene
