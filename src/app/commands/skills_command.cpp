// SPDX-License-Identifier: Apache-2.0
// `convene skills`: the skills of a server, and adding, pulling and removing one.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/command.hpp"
#include "app/printable.hpp"
#include "app/remote/asking.hpp"
#include "app/remote/server_skills.hpp"
#include "app/secret_file.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

constexpr std::size_t shown_revision = 12;

std::string for_people(const skill_report& skill) {
    std::string line = fmt::format(
        "{:<8}  {:<12}  {}  {}  {}",
        printable_name(skill.state),
        skill.revision.empty() ? "-" : printable_name(skill.revision.substr(0, shown_revision)),
        printable_name(skill.id),
        printable_name(skill.name),
        printable_name(skill.url)
    );
    if (!skill.error.empty()) {
        line += fmt::format(
            "\n    {}: {}", printable_name(skill.error), printable_name(skill.error_detail)
        );
    }
    return line;
}

void print(const skill_report& skill, output_form form, output_stream& out) {
    out.write_line(form == output_form::text ? for_people(skill) : skill.json);
}

awaitable<outcome<exit_code>> list(
    server_conversations* asked, output_form form, output_stream* out
) {
    const auto skills = co_await list_skills(asked);
    if (!skills) {
        co_return skills.error();
    }
    if (form == output_form::text) {
        out->write_line(out->styled(
            text_style::dim,
            fmt::format("{:<8}  {:<12}  {:<36}  NAME  URL", "STATE", "REVISION", "ID")
        ));
    }
    for (const skill_report& skill : *skills) {
        print(skill, form, *out);
    }
    co_return exit_code::ok;
}

/// What a pull came to, if it has ended: a failed one ends the command so.
exit_code ending_of(const skill_report& skill) {
    return skill.state == "failed" ? exit_code::partial : exit_code::ok;
}

awaitable<outcome<exit_code>> add(
    server_conversations* asked, const skills_options* how, output_stream* out
) {
    std::string password;
    if (!how->password_file.empty()) {
        outcome<std::string> read = read_secret_file("--password-file", how->password_file);
        if (!read) {
            co_return read.error();
        }
        password = *std::move(read);
    }
    const auto added = co_await add_skill(asked, *how, std::move(password));
    if (!added) {
        co_return added.error();
    }
    print(*added, how->form, *out);
    co_return ending_of(*added);
}

/// The id of the skill that goes by this id, or alone by this name.
awaitable<outcome<std::string>> find_skill(server_conversations* asked, std::string named) {
    const auto skills = co_await list_skills(asked);
    if (!skills) {
        co_return skills.error();
    }
    const auto by_id = std::ranges::find(*skills, named, &skill_report::id);
    if (by_id != skills->end()) {
        co_return by_id->id;
    }
    const auto by_name = std::ranges::find(*skills, named, &skill_report::name);
    if (by_name == skills->end()) {
        co_return failure{
            exit_code::refused,
            fmt::format("SKILL: there is no skill '{}'", printable_name(named)),
            "`convene skills` lists them"
        };
    }
    if (std::ranges::count(*skills, named, &skill_report::name) > 1) {
        co_return failure{
            exit_code::refused,
            fmt::format("SKILL: several skills are called '{}'", printable_name(named)),
            "give the id of one"
        };
    }
    co_return by_name->id;
}

awaitable<outcome<exit_code>> pull(
    server_conversations* asked, const skills_options* how, output_stream* out
) {
    outcome<std::string> id = co_await find_skill(asked, how->skill);
    if (!id) {
        co_return id.error();
    }
    const auto pulled = co_await pull_skill(asked, *std::move(id), how->waits);
    if (!pulled) {
        co_return pulled.error();
    }
    print(*pulled, how->form, *out);
    co_return ending_of(*pulled);
}

awaitable<outcome<exit_code>> remove(
    server_conversations* asked, const skills_options* how, output_stream* out
) {
    const outcome<std::string> id = co_await find_skill(asked, how->skill);
    if (!id) {
        co_return id.error();
    }
    const outcome<> removed = co_await remove_skill(asked, *id);
    if (!removed) {
        co_return removed.error();
    }
    json_writer said;
    said.begin_object().key("id").string(*id).key("state").string("removed").end_object();
    out->write_line(how->form == output_form::text ? "removed" : said.take().str());
    co_return exit_code::ok;
}

awaitable<outcome<exit_code>> run(
    server_conversations* asked, const skills_options* how, output_stream* out
) {
    switch (how->verb) {
        case skill_verb::add:
            return add(asked, how, out);
        case skill_verb::pull:
            return pull(asked, how, out);
        case skill_verb::remove:
            return remove(asked, how, out);
        case skill_verb::list:
            break;
    }
    return list(asked, how->form, out);
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const skills_options& options) {
    output_stream* const out = &with.terminal->out;
    failure without{
        exit_code::usage,
        "skills are pulled by the processes that serve",
        "name the server with --url"
    };
    return run_asking_server(
        with,
        std::move(without),
        [&options, out](server_conversations* asked) { return run(asked, &options, out); }
    );
}

}  // namespace convene
