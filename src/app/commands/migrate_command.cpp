// SPDX-License-Identifier: Apache-2.0
// `convene migrate`: the layout brought up to date, and the note that a database was restored.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "app/command.hpp"
#include "app/database.hpp"
#include "app/interrupts.hpp"
#include "base/json_writer.hpp"
#include "store/operations/operating.hpp"

namespace convene {

namespace {

struct migrated {
    std::int32_t schema_version = 0;
    std::optional<ops::note_restore::outcome> noted;
};

outcome<migrated> migrate(const command_context& with, restore_note noted) {
    loop where;
    interrupts signals{where};
    // Opening is what brings the layout up to date.
    auto store = open_for_writing(where, with.database, sqlite_creation::create_if_missing);
    if (!store) {
        return store.error();
    }
    migrated done;
    const auto found = where.run_until_done((*store)->run(ops::probe_store{}));
    if (found) {
        done.schema_version = found->schema_version;
    }
    error_code failed = found ? error_code{} : found.error();
    if (!failed && noted == restore_note::after_restore) {
        const auto voided = where.run_until_done((*store)->run(ops::note_restore{}));
        if (voided) {
            done.noted = *voided;
        } else {
            failed = voided.error();
        }
    }
    where.run_until_done((*store)->close());
    if (failed) {
        return store_failure(failed, "bringing the database up to date");
    }
    return done;
}

std::string for_people(const migrated& done) {
    std::string text = fmt::format("the layout is version {}", done.schema_version);
    if (done.noted) {
        text += fmt::format(
            "; readers of {} rooms will load again, {} workers were buried",
            done.noted->rooms,
            done.noted->workers
        );
    }
    return text;
}

std::string for_programs(const migrated& done) {
    json_writer out;
    out.begin_object();
    out.key("schema_version").integer(done.schema_version);
    if (done.noted) {
        out.key("rooms").integer(done.noted->rooms);
        out.key("workers_buried").integer(done.noted->workers);
    }
    out.end_object();
    return out.take().str();
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const migrate_options& options) {
    if (with.server) {
        return failure{
            exit_code::usage,
            "migrate works on a database, not on a server (--url)",
            "leave out --url; DB_URL names the database"
        };
    }
    const outcome<migrated> done = migrate(with, options.noted);
    if (!done) {
        return done.error();
    }
    const bool is_for_people = options.form == output_form::text;
    with.terminal->out.write_line(is_for_people ? for_people(*done) : for_programs(*done));
    return exit_code::ok;
}

}  // namespace convene
