// SPDX-License-Identifier: Apache-2.0
// Log lines: formatting here, writing by spdlog.
#include "base/log.hpp"

#include "convene/time.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/json_writer.hpp"
#include "base/utf8.hpp"

namespace convene {

namespace {

constexpr std::array<std::string_view, 6> level_words{
    "trace", "debug", "info", "warn", "error", "off"
};

using sink_function = std::function<void(log_level, std::string_view)>;

/// The text of an error: our own code by its name, which is stable, another by its message.
std::string text_of(error_code error) {
    if (error.category() == convene_category()) {
        return std::string{name_of(static_cast<errc>(error.value()))};
    }
    return error.message();
}

std::string text_of(double number) {
    return std::isfinite(number) ? std::string{json_writer{}.number(number).written()}
                                 : std::to_string(number);
}

// -- key=value
// -------------------------------------------------------------------------------------

/// Whether a value needs no quotes: visible ASCII that no parser of `key=value` takes for its own.
bool is_bare(std::string_view text) {
    const auto is_bare_character = [](char c) {
        return c > ' ' && c < 0x7F && c != '"' && c != '=' && c != '\\';
    };
    return !text.empty() && std::ranges::all_of(text, is_bare_character);
}

void append_text(std::string& line, std::string_view text) {
    if (is_bare(text)) {
        line += text;
    } else {
        append_json_string(line, text);
    }
}

struct text_value_writer {
    std::string& line;

    void operator()(std::string_view text) const { append_text(line, text); }

    void operator()(std::int64_t number) const { line += std::to_string(number); }

    void operator()(std::uint64_t number) const { line += std::to_string(number); }

    void operator()(double number) const { line += text_of(number); }

    void operator()(bool on) const { line += on ? "true" : "false"; }

    void operator()(error_code error) const { append_text(line, text_of(error)); }
};

std::string text_line(
    log_level level, std::string_view event, std::initializer_list<log_field> fields
) {
    std::string line = format_rfc3339(system_wall_clock().now());
    line += ' ';
    line += word_of(level);
    line += ' ';
    append_text(line, event);
    for (const log_field& field : fields) {
        line += ' ';
        line += field.key();
        line += '=';
        std::visit(text_value_writer{line}, field.value());
    }
    return line;
}

// -- JSON
// ------------------------------------------------------------------------------------------

struct json_value_writer {
    json_writer& out;

    void operator()(std::string_view text) const { out.string(text); }

    void operator()(std::int64_t number) const { out.integer(number); }

    void operator()(std::uint64_t number) const {
        if (std::in_range<std::int64_t>(number)) {
            out.integer(static_cast<std::int64_t>(number));
        } else {
            out.string(std::to_string(number));
        }
    }

    void operator()(double number) const {
        if (std::isfinite(number)) {
            out.number(number);
        } else {
            out.string(text_of(number));
        }
    }

    void operator()(bool on) const { out.boolean(on); }

    void operator()(error_code error) const { out.string(text_of(error)); }
};

std::string json_line(
    log_level level, std::string_view event, std::initializer_list<log_field> fields
) {
    json_writer out;
    out.begin_object();
    out.key("time").string(format_rfc3339(system_wall_clock().now()));
    out.key("level").string(word_of(level));
    out.key("event").string(event);
    for (const log_field& field : fields) {
        out.key(field.key());
        std::visit(json_value_writer{out}, field.value());
    }
    out.end_object();
    return std::string{out.written()};
}

// -- the log
// ---------------------------------------------------------------------------------------

spdlog::level::level_enum to_spdlog(log_level level) {
    static_assert(static_cast<int>(log_level::trace) == SPDLOG_LEVEL_TRACE);
    static_assert(static_cast<int>(log_level::error) == SPDLOG_LEVEL_ERROR);
    return static_cast<spdlog::level::level_enum>(level);
}

/// Where lines go. It is never destroyed: destructors of other statics may still log.
class line_writer {
   public:
    static line_writer& instance() {
        static line_writer& writer = *new line_writer;
        return writer;
    }

    void write(log_level importance, std::string_view line) {
        const std::scoped_lock lock{mutex_};
        if (sink_) {
            sink_(importance, line);
        } else {
            stderr_.log(to_spdlog(importance), spdlog::string_view_t{line.data(), line.size()});
        }
    }

    void replace_sink(sink_function sink) {
        const std::scoped_lock lock{mutex_};
        sink_ = std::move(sink);
    }

    std::atomic<log_level> level{log_level::info};
    std::atomic<log_format> format{log_format::text};

   private:
    line_writer() {
        stderr_.set_pattern("%v");
        stderr_.set_level(spdlog::level::trace);
    }

    // guarded by `mutex_`; so spdlog needs no lock of its own
    std::mutex mutex_;
    spdlog::logger stderr_{"convene", std::make_shared<spdlog::sinks::stderr_sink_st>()};
    sink_function sink_;
};

}  // namespace

std::string_view word_of(log_level level) noexcept {
    return level_words[static_cast<std::size_t>(level)];
}

std::optional<log_level> log_level_of(std::string_view word) noexcept {
    const auto found = std::ranges::find(level_words, word);
    if (found == level_words.end()) {
        return std::nullopt;
    }
    return static_cast<log_level>(found - level_words.begin());
}

void log(
    log_level level, std::string_view event, std::initializer_list<log_field> fields
) noexcept {
    if (!is_log_enabled(level)) {
        return;
    }
    // A line is not worth a crash: what fails is memory or a full disk, and others will say so.
    try {
        line_writer& writer = line_writer::instance();
        const bool as_json = writer.format == log_format::json;
        writer.write(
            level, as_json ? json_line(level, event, fields) : text_line(level, event, fields)
        );
    } catch (const std::exception& error) {
        std::fprintf(stderr, "a log line was lost: %s\n", error.what());
    }
}

bool is_log_enabled(log_level level) noexcept {
    return level != log_level::off &&
           level >= line_writer::instance().level.load(std::memory_order_relaxed);
}

void set_log_level(log_level level) noexcept { line_writer::instance().level = level; }

void set_log_format(log_format format) noexcept { line_writer::instance().format = format; }

void set_log_sink(std::function<void(log_level level, std::string_view line)> sink) {
    line_writer::instance().replace_sink(std::move(sink));
}

}  // namespace convene
