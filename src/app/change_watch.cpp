// SPDX-License-Identifier: Apache-2.0
// Change watch: sizes and times of two files.
#include "app/change_watch.hpp"

#include <sys/stat.h>
#include <utility>

namespace convene {

change_watch::change_watch(const std::filesystem::path& database)
    : files_{database, database.native() + "-wal"} {}

bool change_watch::has_changed() {
    const std::array<state, 2> now{look_at(files_[0]), look_at(files_[1])};
    return std::exchange(last_, now) != now;
}

change_watch::state change_watch::look_at(const std::filesystem::path& file) {
    struct stat about{};
    if (::stat(file.c_str(), &about) != 0) {
        return {};
    }
    constexpr std::int64_t second = 1'000'000'000;
    return {about.st_size, about.st_mtim.tv_sec * second + about.st_mtim.tv_nsec};
}

}  // namespace convene
