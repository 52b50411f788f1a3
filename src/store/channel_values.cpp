// SPDX-License-Identifier: Apache-2.0
// The words of receipts.
#include "store/channel_values.hpp"

#include "base/enumerator_of.hpp"

namespace convene {

std::string_view word_of(receipt_status status) noexcept {
    switch (status) {
        case receipt_status::failed:
            return "failed";
        case receipt_status::delivered:
            return "delivered";
        case receipt_status::read:
            return "read";
    }
    return {};
}

std::optional<receipt_status> receipt_status_from(std::string_view word) noexcept {
    return enumerator_of(word, receipt_status::failed);
}

}  // namespace convene
