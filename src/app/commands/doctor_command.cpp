// SPDX-License-Identifier: Apache-2.0
// `convene doctor`: whether this database and this setup, or a server, are sound.
#include <fmt/format.h>

#include <utility>

#include "app/command.hpp"
#include "app/database.hpp"
#include "app/doctor/examination.hpp"
#include "app/doctor/gathering.hpp"
#include "app/doctor/server_gathering.hpp"
#include "app/doctor/shared_database_gathering.hpp"
#include "app/printable.hpp"
#include "app/reading.hpp"
#include "app/remote/server_conversations.hpp"
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
    const std::vector<check_result>& checks,
    const std::optional<ops::store_figures>& figures,
    output_stream& to
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
    if (figures) {
        write_figures(out, *figures);
    }
    out.end_object();
    to.write_line(out.take().str());
}

/// What was found, and the figures where there are some.
struct diagnosis {
    std::vector<check_result> checks;
    std::optional<ops::store_figures> figures;
};

/// What is stored, or why it can't be read. *Errors*: stopped by a signal.
outcome<> read_stored(const database_place& place, database_facts* facts) {
    const auto open = [&place](loop& where) { return open_for_reading(where, place); };
    const auto read = run_asking(open, [facts](conversation_store* store) {
        return read_facts(store, facts);
    });
    if (read && *read != exit_code::ok) {
        return failure{*read, "stopped before everything was looked at", {}};
    }
    if (!read) {
        facts->open_failure = read.error().text;
        facts->open_remedy = read.error().remedy;
    }
    return {};
}

outcome<diagnosis> examine_file(const database_place& place) {
    database_facts facts = look_at_files(place.file);
    const outcome<> read = read_stored(place, &facts);
    if (!read) {
        return read.error();
    }
    return diagnosis{judge(facts), facts.figures};
}

outcome<diagnosis> examine_shared_database(
    const database_place& place, const configuration& settings
) {
    shared_database_facts facts = ask_database_server(place.address, settings);
    const outcome<> read = read_stored(place, &facts.stored);
    if (!read) {
        return read.error();
    }
    return diagnosis{judge(facts), facts.stored.figures};
}

outcome<diagnosis> examine_database(const command_context& with) {
    return with.database.is_on_server() ? examine_shared_database(with.database, *with.settings)
                                        : examine_file(with.database);
}

awaitable<outcome<exit_code>> ask_facts(server_conversations* asked, server_facts* facts) {
    *facts = co_await ask_how_it_is(asked);
    co_return exit_code::ok;
}

outcome<diagnosis> examine_server(server_address server) {
    // How it is now is the question.
    server.retry_for = milliseconds{0};
    server_facts facts;
    const auto open = [&server](loop& where) -> outcome<std::unique_ptr<server_conversations>> {
        return std::make_unique<server_conversations>(where, server);
    };
    const auto asked = run_asking(open, [&facts](server_conversations* opened) {
        return ask_facts(opened, &facts);
    });
    if (asked && *asked != exit_code::ok) {
        return failure{*asked, "stopped before everything was asked", {}};
    }
    return diagnosis{judge(facts), std::nullopt};
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const doctor_options& options) {
    const auto found = with.server ? examine_server(*with.server) : examine_database(with);
    if (!found) {
        return found.error();
    }
    if (options.form == output_form::json) {
        print_for_programs(found->checks, found->figures, with.terminal->out);
    } else {
        print_for_people(found->checks, with.terminal->out);
    }
    return ending_of(worst_of(found->checks));
}

}  // namespace convene
