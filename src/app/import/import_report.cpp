// SPDX-License-Identifier: Apache-2.0
// Import report: words and numbers.
#include "app/import/import_report.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/printable.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

/// More of the same helps nobody, and would fill memory.
constexpr std::size_t most_shown = 100;

/// Thousands apart: 18,986.
std::string grouped(std::int64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t i = text.size(); i > 3; i -= 3) {
        text.insert(i - 3, ",");
    }
    return text;
}

double seconds_of(std::chrono::nanoseconds span) {
    return std::chrono::duration<double>{span}.count();
}

std::int64_t rate_of(std::int64_t events, std::chrono::nanoseconds span) {
    const double seconds = seconds_of(span);
    return seconds > 0 ? static_cast<std::int64_t>(static_cast<double>(events) / seconds) : 0;
}

std::string bar(double share) {
    constexpr int width = 24;
    const int filled = static_cast<int>(share * width);
    std::string drawn = "[";
    for (int i = 0; i < width; ++i) {
        drawn += i < filled ? '#' : '.';
    }
    return drawn + fmt::format("] {:3.0f} %", share * 100);
}

}  // namespace

void import_report::refuse(std::int64_t line, const boundary_error& error) {
    import_problem problem;
    problem.line = line;
    problem.field = error.field;
    problem.reason = word_of(error.reason);
    problem.text = describe(error.reason);
    add(std::move(problem));
}

void import_report::add(import_problem problem) {
    const bool is_refused = problem.whose == import_problem::fault::of_the_line;
    ++(is_refused ? counts.refused : counts.failed);
    if (kept_.size() == most_shown) {
        return;
    }
    clear_progress();
    const std::string field = problem.field.empty() ? "" : problem.field + ": ";
    terminal_.err.write_line(fmt::format(
        "{} {}{} ({})",
        terminal_.err.styled(text_style::bad, fmt::format("line {}:", problem.line)),
        printable_name(field),
        problem.reason,
        printable_name(problem.text)
    ));
    kept_.push_back(std::move(problem));
    if (kept_.size() == most_shown) {
        terminal_.err.write_line("further lines that are not taken are only counted");
    }
    terminal_.err.flush();
}

void import_report::show_progress(
    std::optional<double> share, std::chrono::nanoseconds since_start
) {
    const std::int64_t events = counts.events_added + counts.events_known;
    terminal_.err.write(fmt::format(
        "\r\x1b[K{}  {} rooms  {} messages  {}/s",
        share ? bar(*share) : "importing",
        grouped(counts.rooms_created + counts.rooms_known),
        grouped(events),
        grouped(rate_of(events, since_start))
    ));
    terminal_.err.flush();
    has_progress_ = true;
}

void import_report::clear_progress() {
    if (std::exchange(has_progress_, false)) {
        terminal_.err.write("\r\x1b[K");
        terminal_.err.flush();
    }
}

void import_report::print_summary(std::chrono::nanoseconds took) {
    clear_progress();
    if (counts.events_added == 0 && counts.rooms_created == 0) {
        terminal_.out.write_line(fmt::format("nothing new, in {:.1f} s", seconds_of(took)));
    } else {
        terminal_.out.write_line(fmt::format(
            "{} messages, {} new rooms, in {:.1f} s ({}/s)",
            grouped(counts.events_added),
            grouped(counts.rooms_created),
            seconds_of(took),
            grouped(rate_of(counts.events_added, took))
        ));
    }
    if (counts.events_known != 0 || counts.rooms_known != 0) {
        terminal_.out.write_line(fmt::format(
            "{} messages in {} rooms were there already",
            grouped(counts.events_known),
            grouped(counts.rooms_known)
        ));
    }
    print_untaken(counts.refused, "lines were refused");
    print_untaken(counts.failed, "lines could not be stored");
}

void import_report::print_untaken(std::int64_t lines, std::string_view what) {
    if (lines != 0) {
        const std::string text = fmt::format("{} {}", grouped(lines), what);
        terminal_.out.write_line(terminal_.out.styled(text_style::bad, text));
    }
}

void import_report::print_json(std::chrono::nanoseconds took) {
    clear_progress();
    json_writer out;
    out.begin_object();
    out.key("rooms_created").integer(counts.rooms_created);
    out.key("rooms_known").integer(counts.rooms_known);
    out.key("events_added").integer(counts.events_added);
    out.key("events_known").integer(counts.events_known);
    out.key("refused").integer(counts.refused);
    out.key("failed").integer(counts.failed);
    out.key("seconds").number(seconds_of(took));
    out.key("problems").begin_array();
    for (const import_problem& problem : kept_) {
        out.begin_object();
        out.key("line").integer(problem.line);
        out.key("field").string(problem.field);
        out.key("reason").string(problem.reason);
        out.end_object();
    }
    out.end_array();
    out.end_object();
    terminal_.out.write_line(out.take().str());
}

}  // namespace convene
