// SPDX-License-Identifier: Apache-2.0
// Text that comes in pieces which may end inside a character: whole characters out, what is broken repaired.
#pragma once

#include "convene/boundary.hpp"

#include <string>
#include <string_view>

namespace convene {

/// The text boundary for a stream. Half a character at the end of a piece waits for the next one, also the first half of
/// a UTF-16 pair that is spelled as three bytes, as `frame_json` gives it.
class text_mender {
   public:
    /// What is whole by now, without U+0000 and always well-formed; may be empty.
    [[nodiscard]] std::string push(std::string_view bytes);

    /// The end of the text: what still waits will never be whole.
    [[nodiscard]] std::string finish();

    [[nodiscard]] const repair_record& repairs() const noexcept { return repairs_; }

   private:
    std::string held_;
    repair_record repairs_;
};

}  // namespace convene
