// SPDX-License-Identifier: Apache-2.0
// `convene version`: which program this is, and which one a server runs.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "app/command.hpp"
#include "app/printable.hpp"
#include "app/reading.hpp"
#include "app/remote/server_conversations.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

awaitable<outcome<exit_code>> ask_version(server_conversations* asked, std::string* version) {
    auto answer = co_await asked->version();
    if (!answer) {
        co_return answer.error();
    }
    *version = std::move(*answer);
    co_return exit_code::ok;
}

outcome<exit_code> ask_server(const server_address& server, std::string* version) {
    const auto open = [&server](loop& where) -> outcome<std::unique_ptr<server_conversations>> {
        return std::make_unique<server_conversations>(where, server);
    };
    return run_asking(open, [version](server_conversations* asked) {
        return ask_version(asked, version);
    });
}

std::string for_programs(const command_context& with, const std::string& of_server) {
    json_writer out;
    out.begin_object();
    out.key("name").string("convene");
    out.key("version").string(CONVENE_VERSION);
    if (!of_server.empty()) {
        out.key("server").begin_object();
        out.key("url").string(with.server->url);
        out.key("version").string(of_server);
        out.end_object();
    }
    out.end_object();
    return out.take().str();
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const version_options& options) {
    output_stream& out = with.terminal->out;
    const bool is_for_people = options.form == output_form::text;
    if (is_for_people) {
        out.write_line("convene " CONVENE_VERSION);
    }
    std::string of_server;
    outcome<exit_code> asked = exit_code::ok;
    if (with.server) {
        asked = ask_server(*with.server, &of_server);
    }
    if (!is_for_people) {
        out.write_line(for_programs(with, of_server));
    } else if (!of_server.empty()) {
        out.write_line(fmt::format("server  {}  {}", printable_name(of_server), with.server->url));
    }
    return asked;
}

}  // namespace convene
