// SPDX-License-Identifier: Apache-2.0
// What the command line asks for: one struct for each command.
#pragma once

#include "convene/ids.hpp"
#include "convene/lease.hpp"
#include "convene/room.hpp"
#include "convene/time.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "base/config/configuration.hpp"

namespace convene {

enum class output_form {
    text,  ///< for people
    json,  ///< for programs
};

struct import_options {
    std::string input;  ///< a path, or `-` for standard input
    std::optional<std::filesystem::path> deliver_to;
    std::size_t concurrency = 64;  ///< rooms at once
    output_form form = output_form::text;
};

struct export_options {
    std::string room;                             ///< empty: all
    std::optional<std::filesystem::path> output;  ///< unset: standard output
};

enum class missing_room {
    refuse,
    create,
};

struct send_options {
    std::string room;
    std::string text;  ///< `-`: read from standard input
    std::string speaker = "operator";
    std::string key;
    std::string reply_to;  ///< an event's index or id; empty: nothing
    missing_room if_missing = missing_room::refuse;
    output_form form = output_form::text;
};

enum class tail_mode {
    once,    ///< print what is there
    follow,  ///< and then what comes
};

struct tail_options {
    std::string room;
    std::optional<event_index> after;  ///< unset: the last few
    tail_mode mode = tail_mode::once;
    output_form form = output_form::text;
};

struct rooms_options {
    std::optional<room_status> status;
    output_form form = output_form::text;
};

enum class repair_mode {
    dry_run,
    apply,
};

struct dedupe_options {
    repair_mode mode = repair_mode::dry_run;
    output_form form = output_form::text;
};

enum class lane_verb {
    list,
    pause,
    resume,
    skip,
    redeliver,
};

struct lanes_options {
    lane_verb verb = lane_verb::list;
    std::string room;
    std::optional<std::int64_t> index;  ///< `skip`: only if this is still the head
    std::string event;                  ///< `redeliver`; empty: the head, or the last one
    std::string reason;                 ///< for the server's audit trail
    output_form form = output_form::text;
};

enum class lease_view {
    all,
    waiting,  ///< those that somebody waits for
};

enum class release_mode {
    preview,    ///< say what would fall
    confirmed,  ///< take it away
};

struct leases_options {
    std::string released;  ///< the name of the lease that is taken away; empty: they are listed
    release_mode mode = release_mode::preview;
    stubborn_holder otherwise = stubborn_holder::keeps_it;
    lease_view view = lease_view::all;
    std::string reason = "by hand";
    output_form form = output_form::text;
};

struct turns_options {
    std::string retried;  ///< the id of the turn that is run again; empty: they are listed
    std::string status;   ///< only these; empty: all
    std::string reason;   ///< for the server's audit trail
    output_form form = output_form::text;
};

enum class wake_verb {
    list,
    set,
    cancel,
};

struct wakes_options {
    wake_verb verb = wake_verb::list;
    std::string room;
    std::string said;  ///< `set`: what is said to the agent then; `cancel`: the id of the wake
    std::optional<milliseconds> in;  ///< `set`: this, or `at`
    std::string at;                  ///< RFC 3339
    output_form form = output_form::text;
};

enum class secret_verb {
    list,
    set,
    remove,
};

struct secrets_options {
    secret_verb verb = secret_verb::list;
    std::string name;
    std::filesystem::path value_file;        ///< `set`
    std::optional<std::string> description;  ///< unset: that of the value before stays
    output_form form = output_form::text;
};

enum class skill_verb {
    list,
    add,
    pull,
    remove,
};

enum class pull_patience {
    none,         ///< the server goes on by itself
    until_ended,  ///< and the command tells what came of it
};

struct skills_options {
    skill_verb verb = skill_verb::list;
    std::string skill;  ///< `add`: its name; else its name or id
    std::string url;
    std::string reference;
    std::string path;
    std::string username;
    std::filesystem::path password_file;  ///< empty: there is no password
    std::string secret;                   ///< the name of one, instead
    pull_patience waits = pull_patience::none;
    output_form form = output_form::text;
};

/// What is done about what agents ask.
enum class approval_verb { list, approve, reject, return_ };

struct approvals_options {
    approval_verb verb = approval_verb::list;
    std::string approval;            ///< the one that is decided
    std::string status = "pending";  ///< of those that are listed; empty: all
    std::string response;            ///< for the agent: a text, or JSON
    output_form form = output_form::text;
};

enum class execution_verb {
    list,
    show,
    cancel,
};

struct executions_options {
    execution_verb verb = execution_verb::list;
    std::string id;
    output_form form = output_form::text;
};

struct run_options {
    std::string target;     ///< a workflow's id, or an execution's
    bool is_draft = false;  ///< of a workflow: its draft is tried
    output_form form = output_form::text;
};

struct doctor_options {
    output_form form = output_form::text;
};

struct serve_options {
    std::size_t workers = 1;
};

enum class restore_note {
    none,
    after_restore,  ///< the database was brought back from a copy
};

struct migrate_options {
    restore_note noted = restore_note::none;
    output_form form = output_form::text;
};

struct version_options {
    output_form form = output_form::text;
};

/// Shows the configuration instead of running a command.
struct print_config_options {};

using command_options = std::variant<
    print_config_options,
    import_options,
    export_options,
    send_options,
    tail_options,
    rooms_options,
    dedupe_options,
    lanes_options,
    leases_options,
    turns_options,
    wakes_options,
    skills_options,
    secrets_options,
    approvals_options,
    executions_options,
    run_options,
    doctor_options,
    serve_options,
    migrate_options,
    version_options>;

/// The whole command line.
struct command_line {
    config_sources sources;  ///< flags and the file; the environment is added by the caller
    organization_id organization;
    command_options command;
};

}  // namespace convene
