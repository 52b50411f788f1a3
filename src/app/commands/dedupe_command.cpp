// SPDX-License-Identifier: Apache-2.0
// `convene dedupe`: finds duplicate indexes, and repairs them.
#include <fmt/format.h>

#include <utility>

#include "app/command.hpp"
#include "app/database.hpp"
#include "app/interrupts.hpp"
#include "app/remote/server_conversations.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

using dedupe_answer = ops::dedupe_event_indices::answer;

std::string for_people(const dedupe_answer& answer) {
    if (answer.action == "repaired") {
        return fmt::format(
            "repaired: {} duplicate rows in {} rooms; indexes are unique now",
            answer.duplicate_rows,
            answer.affected_rooms
        );
    }
    if (answer.now_unique) {
        return "every index is unique: nothing to repair";
    }
    return fmt::format(
        "{} duplicate rows in {} rooms, and nothing to stop more of them; --apply repairs both",
        answer.duplicate_rows,
        answer.affected_rooms
    );
}

std::string for_programs(const dedupe_answer& answer) {
    json_writer out;
    out.begin_object();
    out.key("action").string(answer.action);
    out.key("duplicate_rows").integer(answer.duplicate_rows);
    out.key("affected_rooms").integer(answer.affected_rooms);
    out.key("now_unique").boolean(answer.now_unique);
    out.end_object();
    return out.take().str();
}

outcome<dedupe_answer> ask_database(const command_context& with, repair_mode mode) {
    loop where;
    // A repair is one transaction: a first signal lets it end, a second one undoes it.
    interrupts signals{where};
    auto store = open_for_writing(where, with.database, sqlite_creation::must_exist);
    if (!store) {
        return store.error();
    }
    ops::dedupe_event_indices request;
    request.dry_run = mode == repair_mode::dry_run;
    const auto answer = where.run_until_done((*store)->run(request));
    where.run_until_done((*store)->close());
    if (!answer) {
        return store_failure(answer.error(), "looking for duplicates");
    }
    return *answer;
}

outcome<dedupe_answer> ask_server(const server_address& server, repair_mode mode) {
    loop where;
    interrupts signals{where};
    server_conversations asked{where, server};
    auto answer = where.run_until_done(cancelled_by(&signals.stop(), asked.repair_indexes(mode)));
    if (const auto stopped = signals.stopped_by(); stopped && !answer) {
        return failure{
            *stopped, "stopped before the server answered", "what it had begun it ends by itself"
        };
    }
    return answer;
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const dedupe_options& options) {
    const auto answer = with.server ? ask_server(*with.server, options.mode)
                                    : ask_database(with, options.mode);
    if (!answer) {
        return answer.error();
    }
    const bool is_for_people = options.form == output_form::text;
    with.terminal->out.write_line(is_for_people ? for_people(*answer) : for_programs(*answer));
    return exit_code::ok;
}

}  // namespace convene
