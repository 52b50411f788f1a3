// SPDX-License-Identifier: Apache-2.0
// Judging what was found: one function for each check.
#include "app/doctor/examination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace convene {

namespace {

constexpr std::int64_t mebibyte = 1024 * 1024;

/// With less a busy hour, or a repair, may not fit.
constexpr std::int64_t little_space = 1024 * mebibyte;
constexpr std::int64_t no_space = 100 * mebibyte;

/// A delivery that waits longer than all retries take is stuck.
constexpr std::chrono::minutes long_wait{5};

check_result judge_file(const database_facts& facts) {
    const std::string name = "file";
    const auto& file = facts.about_file;
    const std::string path = facts.file.native();
    if (!file.exists) {
        return problem(
            name,
            fmt::format("{} does not exist", path),
            "name a database with --db, or make one: convene import, convene send --create"
        );
    }
    if (!file.is_regular) {
        return problem(name, fmt::format("{} is no file", path), "name a file with --db");
    }
    if (!file.is_readable) {
        return problem(
            name,
            fmt::format("{} can't be read by this user", path),
            "change its permissions, or be its owner"
        );
    }
    if (!file.is_writable) {
        return warn(
            name,
            fmt::format("{} can't be written by this user: commands that only read work", path),
            "change the permissions of the file and of its folder"
        );
    }
    return sound(
        name, fmt::format("{}, {:.1f} MiB", path, static_cast<double>(file.size) / mebibyte)
    );
}

check_result judge_writer(const database_facts& facts) {
    const std::string name = "writer";
    switch (facts.writer) {
        case database_facts::writer_state::none:
            return sound(name, "no process writes: this one could");
        case database_facts::writer_state::running:
            return sound(
                name,
                fmt::format(
                    "process {} writes",
                    facts.noted_writer.empty() ? "(unknown)" : facts.noted_writer
                )
            );
        case database_facts::writer_state::unknown:
            break;
    }
    return warn(
        name,
        "it can't be told whether a process writes",
        "look at the permissions of the .lock file beside the database"
    );
}

check_result judge_disk(const database_facts& facts) {
    const std::string name = "disk";
    const std::int64_t free = facts.about_file.free_bytes;
    const std::string text = fmt::format(
        "{:.1f} GiB free", static_cast<double>(free) / (1024.0 * mebibyte)
    );
    if (free < no_space) {
        return problem(name, text, "make room: a full disk refuses every message");
    }
    if (free < little_space) {
        return warn(name, text, "make room soon: a full disk refuses every message");
    }
    return sound(name, text);
}

check_result judge_log(const database_facts& facts) {
    const std::string name = "write_ahead_log";
    if (facts.about_file.has_write_ahead_log) {
        return sound(name, "on: readers work beside the writer");
    }
    return warn(
        name,
        "off: readers and the writer would lock each other out",
        "any command that writes switches it on"
    );
}

check_result judge_opening(const database_facts& facts) {
    const std::string name = "database";
    if (!facts.figures) {
        return problem(name, facts.open_failure, facts.open_remedy);
    }
    return sound(
        name,
        fmt::format(
            "layout {}, {} rooms, {} events",
            facts.figures->schema_version,
            facts.figures->rooms,
            facts.figures->events
        )
    );
}

check_result judge_indexes(const ops::store_figures& figures) {
    const std::string name = "unique_index";
    if (figures.duplicate_rows != 0) {
        return problem(
            name,
            fmt::format("{} events share an index with another", figures.duplicate_rows),
            "convene dedupe shows what a repair changes, convene dedupe --apply repairs"
        );
    }
    if (!figures.index_is_unique) {
        return warn(
            name,
            "nothing would stop a duplicate index",
            "convene dedupe --apply makes the index unique"
        );
    }
    return sound(name, "indexes are unique, and stay so");
}

check_result judge_deliveries(const database_facts& facts) {
    const std::string name = "deliveries";
    const std::int64_t pending = facts.figures->pending_deliveries;
    if (pending == 0) {
        return sound(name, "nothing waits");
    }
    std::string text = fmt::format("{} wait", pending);
    std::chrono::seconds age{0};
    if (facts.oldest_pending) {
        age = std::chrono::duration_cast<std::chrono::seconds>(facts.now - *facts.oldest_pending);
        text += fmt::format(", the oldest for {} s", age.count());
    }
    if (facts.writer == database_facts::writer_state::none) {
        return warn(
            name,
            text + ", and no process delivers",
            "the next command that writes goes on with them"
        );
    }
    if (age > long_wait) {
        return warn(name, text, "look at the log of the writing process: a channel may be failing");
    }
    return sound(name, text);
}

check_result judge_outbound(const ops::store_figures& figures) {
    const std::string name = "outbound_queue";
    if (figures.outbound_waiting == 0) {
        return sound(name, "nothing was put off");
    }
    return warn(
        name,
        fmt::format("{} deliveries were put off", figures.outbound_waiting),
        "a channel is slow or failing; they are tried again while a process writes"
    );
}

check_result judge_skips(const ops::store_figures& figures) {
    const std::string name = "skips";
    if (figures.skips == 0) {
        return sound(name, "nothing was passed over");
    }
    return warn(
        name,
        fmt::format("events were passed over {} times; each is on record", figures.skips),
        "compare what receivers have with convene tail"
    );
}

}  // namespace

check_result sound(std::string name, std::string text) {
    return {std::move(name), verdict::sound, std::move(text), {}};
}

check_result warn(std::string name, std::string text, std::string remedy) {
    return {std::move(name), verdict::warning, std::move(text), std::move(remedy)};
}

check_result problem(std::string name, std::string text, std::string remedy) {
    return {std::move(name), verdict::problem, std::move(text), std::move(remedy)};
}

std::string_view word_of(verdict what) noexcept {
    switch (what) {
        case verdict::sound:
            return "ok";
        case verdict::warning:
            return "warning";
        case verdict::problem:
            return "problem";
    }
    return "";
}

std::vector<check_result> judge(const database_facts& facts) {
    std::vector<check_result> checks;
    checks.push_back(judge_file(facts));
    checks.push_back(judge_disk(facts));
    if (!facts.about_file.exists) {
        return checks;
    }
    checks.push_back(judge_writer(facts));
    if (facts.figures) {
        checks.push_back(judge_log(facts));
    }
    std::ranges::move(judge_stored(facts), std::back_inserter(checks));
    return checks;
}

std::vector<check_result> judge_stored(const database_facts& facts) {
    std::vector<check_result> checks;
    checks.push_back(judge_opening(facts));
    if (!facts.figures) {
        return checks;
    }
    checks.push_back(judge_indexes(*facts.figures));
    checks.push_back(judge_deliveries(facts));
    checks.push_back(judge_outbound(*facts.figures));
    checks.push_back(judge_skips(*facts.figures));
    return checks;
}

verdict worst_of(const std::vector<check_result>& checks) {
    verdict worst = verdict::sound;
    for (const check_result& check : checks) {
        worst = std::max(worst, check.what);
    }
    return worst;
}

}  // namespace convene
