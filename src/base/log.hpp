// SPDX-License-Identifier: Apache-2.0
// Structured log lines: an event's name and fields, as `key=value` or JSON, to stderr.
//
//     log(log_level::warn, "lease_lost", {{"name", name}, {"age_ms", age.count()}});
#pragma once

#include "convene/error.hpp"
#include "convene/ids.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <variant>

namespace convene {

enum class log_level { trace = 0, debug = 1, info = 2, warn = 3, error = 4, off = 5 };

enum class log_format {
    text,  ///< `2026-01-31T09:05:00.000000Z warn lease_lost name=room:7 age_ms=8012`
    json,  ///< one object a line: time, level, event, then the fields
};

[[nodiscard]] std::string_view word_of(log_level level) noexcept;
[[nodiscard]] std::optional<log_level> log_level_of(std::string_view word) noexcept;

/// A key and a value, alive for the call only. Keys are plain words, other than `time`, `level` and
/// `event` and other than each other; values may be anything, and are escaped so that a line stays
/// a line.
class log_field {
   public:
    using value_type = std::
        variant<std::string_view, std::int64_t, std::uint64_t, double, bool, error_code>;

    log_field(std::string_view key, std::string_view value) : key_(key), value_(value) {}

    log_field(std::string_view key, const char* value)
        : key_(key), value_(std::string_view{value}) {}

    template <class Tag>
    log_field(std::string_view key, const text_id<Tag>& value)
        : key_(key), value_(std::string_view{value.str()}) {}

    log_field(std::string_view key, event_index value) : key_(key), value_(value.value()) {}

    template <std::signed_integral Number>
    log_field(std::string_view key, Number value) : key_(key), value_(std::int64_t{value}) {}

    template <std::unsigned_integral Number>
        requires(!std::same_as<Number, bool>)
    log_field(std::string_view key, Number value) : key_(key), value_(std::uint64_t{value}) {}

    log_field(std::string_view key, std::same_as<bool> auto value) : key_(key), value_(value) {}

    log_field(std::string_view key, double value) : key_(key), value_(value) {}

    log_field(std::string_view key, error_code value) : key_(key), value_(value) {}

    [[nodiscard]] std::string_view key() const noexcept { return key_; }

    [[nodiscard]] const value_type& value() const noexcept { return value_; }

   private:
    std::string_view key_;
    value_type value_;
};

/// Writes a line if `level` is enabled. `event` is a plain word in snake_case.
/// *Thread safety*: all functions here may be called from any thread; lines do not mix.
void log(
    log_level level, std::string_view event, std::initializer_list<log_field> fields = {}
) noexcept;

/// For callers whose fields are costly to make.
[[nodiscard]] bool is_log_enabled(log_level level) noexcept;

/// Lines below `level` are dropped. At the start it is `info`.
void set_log_level(log_level level) noexcept;

void set_log_format(log_format format) noexcept;

/// Sends lines (without a line end) elsewhere than to stderr: to the log of an embedding program,
/// or to a test. An empty function restores stderr. `sink` is called by one thread at a time and
/// does not log.
void set_log_sink(std::function<void(log_level level, std::string_view line)> sink);

}  // namespace convene
