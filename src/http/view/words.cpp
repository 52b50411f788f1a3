// SPDX-License-Identifier: Apache-2.0
// Times in answers.
#include "http/view/words.hpp"

namespace convene {

void write_time(json_writer& out, const std::optional<wall_time>& when) {
    if (when) {
        write_time(out, *when);
    } else {
        out.null();
    }
}

void write_time(json_writer& out, wall_time when) { out.string(format_rfc3339(when)); }

}  // namespace convene
