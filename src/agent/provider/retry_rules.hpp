// SPDX-License-Identifier: Apache-2.0
// When a provider is asked again.
#pragma once

#include "convene/random.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>

#include "net/http_message.hpp"

namespace convene {

struct retry_rules {
    std::int32_t attempts = 4;  ///< the first one included
    milliseconds first_delay{500};
    milliseconds longest_delay{8'000};
    milliseconds longest_retry_after{30'000};  ///< one who wants more time gets it from the caller
};

/// How long to wait after `made` attempts; nothing: no other is made. The wait doubles each time, less up to half of it
/// at random, so that what failed together does not come back together. What the provider asks for is waited out.
[[nodiscard]] std::optional<milliseconds> delay_before_retry(
    const retry_rules& rules,
    std::int32_t made,
    std::optional<milliseconds> retry_after,
    random_source& random
);

/// `retry-after-ms` and `retry-after`, in seconds with or without a fraction; a date counts as absent.
[[nodiscard]] std::optional<milliseconds> retry_after_of(const http_headers& headers);

}  // namespace convene
