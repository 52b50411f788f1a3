// SPDX-License-Identifier: Apache-2.0
// Notices that a database may have changed, for the price of two `stat` calls.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

namespace convene {

/// Looks at times and sizes of the database and of its log. A change within the clock's grain of the last look
/// may go unnoticed: whoever needs every change looks for himself now and then as well.
class change_watch {
   public:
    explicit change_watch(const std::filesystem::path& database);

    /// True if something is different from the last call.
    [[nodiscard]] bool has_changed();

   private:
    struct state {
        std::int64_t size = -1;
        std::int64_t modified_ns = 0;

        friend bool operator==(const state&, const state&) = default;
    };

    [[nodiscard]] static state look_at(const std::filesystem::path& file);

    const std::array<std::filesystem::path, 2> files_;
    std::array<state, 2> last_{};
};

}  // namespace convene
