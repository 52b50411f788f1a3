// SPDX-License-Identifier: Apache-2.0
// `convene version`: which program this is.
#include "app/command.hpp"
#include "base/json_writer.hpp"

namespace convene {

outcome<exit_code> run_command(const command_context& with, const version_options& options) {
    if (options.form == output_form::text) {
        with.terminal->out.write_line("convene " CONVENE_VERSION);
        return exit_code::ok;
    }
    json_writer out;
    out.begin_object();
    out.key("name").string("convene");
    out.key("version").string(CONVENE_VERSION);
    out.end_object();
    with.terminal->out.write_line(out.take().str());
    return exit_code::ok;
}

}  // namespace convene
