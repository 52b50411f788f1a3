// SPDX-License-Identifier: Apache-2.0
// `convene doctor`: whether this database, and this setup, are sound.
#include <fmt/format.h>

#include <utility>

#include "app/command.hpp"
#include "app/doctor/examination.hpp"
#include "app/doctor/gathering.hpp"
#include "app/printable.hpp"
#include "app/reading.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

awaitable<outcome<exit_code>> read_facts(conversation_store* store, database_facts* facts) {
    ops::read_figures request;
    const auto figures = co_await store->run(request);
    if (!figures) {
        co_return store_failure(figures.error(), "reading the database");
    }
    if (figures->pending_deliveries != 0) {
        const auto oldest = co_await find_oldest_pending(store);
        if (!oldest) {
            co_return store_failure(oldest.error(), "reading the database");
        }
        facts->oldest_pending = *oldest;
    }
    facts->figures = *figures;
    co_return exit_code::ok;
}

exit_code ending_of(verdict worst) {
    switch (worst) {
        case verdict::sound:
            return exit_code::ok;
        case verdict::warning:
            return exit_code::doctor_warnings;
        case verdict::problem:
            break;
    }
    return exit_code::doctor_problems;
}

text_style style_of(verdict what) {
    switch (what) {
        case verdict::sound:
            return text_style::good;
        case verdict::warning:
            return text_style::warning;
        case verdict::problem:
            break;
    }
    return text_style::bad;
}

void print_for_people(const std::vector<check_result>& checks, output_stream& out) {
    for (const check_result& check : checks) {
        const std::string word = fmt::format("{:<8}", word_of(check.what));
        out.write_line(fmt::format(
            "{} {:<16} {}",
            out.styled(style_of(check.what), word),
            check.name,
            printable(check.text)
        ));
        if (!check.remedy.empty()) {
            out.write_line(fmt::format("{:26}{}", "", check.remedy));
        }
    }
}

void write_figures(json_writer& out, const ops::store_figures& figures) {
    out.key("figures").begin_object();
    out.key("schema_version").integer(figures.schema_version);
    out.key("rooms").integer(figures.rooms);
    out.key("events").integer(figures.events);
    out.key("pending_deliveries").integer(figures.pending_deliveries);
    out.key("outbound_waiting").integer(figures.outbound_waiting);
    out.key("skips").integer(figures.skips);
    out.key("duplicate_rows").integer(figures.duplicate_rows);
    out.end_object();
}

void print_for_programs(
    const std::vector<check_result>& checks, const database_facts& facts, output_stream& to
) {
    json_writer out;
    out.begin_object();
    out.key("status").string(word_of(worst_of(checks)));
    out.key("checks").begin_array();
    for (const check_result& check : checks) {
        out.begin_object();
        out.key("name").string(check.name);
        out.key("status").string(word_of(check.what));
        out.key("text").string(check.text);
        if (!check.remedy.empty()) {
            out.key("remedy").string(check.remedy);
        }
        out.end_object();
    }
    out.end_array();
    if (facts.figures) {
        write_figures(out, *facts.figures);
    }
    out.end_object();
    to.write_line(out.take().str());
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const doctor_options& options) {
    database_facts facts = look_at_files(with.database);
    const auto read = run_reading(with, [&facts](conversation_store* store) {
        return read_facts(store, &facts);
    });
    if (read && *read != exit_code::ok) {
        return *read;
    }
    if (!read) {
        facts.open_failure = read.error().text;
        facts.open_remedy = read.error().remedy;
    }
    const std::vector<check_result> checks = judge(facts);
    if (options.form == output_form::json) {
        print_for_programs(checks, facts, with.terminal->out);
    } else {
        print_for_people(checks, with.terminal->out);
    }
    return ending_of(worst_of(checks));
}

}  // namespace convene
