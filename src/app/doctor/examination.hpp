// SPDX-License-Identifier: Apache-2.0
// What `doctor` finds: a list of checks, each with its verdict and, where something is wrong, what to do.
#pragma once

#include "convene/time.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace convene {

enum class verdict {
    sound,
    warning,  ///< it works, and somebody should look
    problem,  ///< it does not work, or will not for long
};

[[nodiscard]] std::string_view word_of(verdict what) noexcept;

struct check_result {
    std::string name;  ///< a stable word
    verdict what = verdict::sound;
    std::string text;
    std::string remedy;  ///< empty where nothing is wrong
};

/// Everything that the verdicts are made from. Gathering is apart from judging.
struct database_facts {
    struct file_facts {
        bool exists = false;
        bool is_regular = false;
        bool is_readable = false;
        bool is_writable = false;
        bool has_write_ahead_log = false;
        std::int64_t size = 0;
        std::int64_t free_bytes = 0;  ///< on its disk, for this user
    };

    enum class writer_state { none, running, unknown };

    std::filesystem::path file;
    file_facts about_file;
    writer_state writer = writer_state::unknown;
    std::string noted_writer;  ///< a process id
    std::string open_failure;  ///< why it could not be opened; empty if it could
    std::string open_remedy;
    std::optional<ops::store_figures> figures;
    std::optional<wall_time> oldest_pending;
    wall_time now{};
};

/// *Lifetime*: of values only.
[[nodiscard]] std::vector<check_result> judge(const database_facts& facts);

/// Of what is stored alone, wherever it is: opening, indexes, deliveries, the outbound queue, skips.
[[nodiscard]] std::vector<check_result> judge_stored(const database_facts& facts);

// What a check is made of.
[[nodiscard]] check_result sound(std::string name, std::string text);
[[nodiscard]] check_result warn(std::string name, std::string text, std::string remedy);
[[nodiscard]] check_result problem(std::string name, std::string text, std::string remedy);

/// The worst of all.
[[nodiscard]] verdict worst_of(const std::vector<check_result>& checks);

}  // namespace convene
