// SPDX-License-Identifier: Apache-2.0
// Skill tools: files of a revision, as text.
#include "workflow/skill_tools.hpp"

#include <algorithm>
#include <utility>

#include "agent/tool_arguments.hpp"

namespace convene {

namespace {

class read_skill_file_tool final : public tool {
   public:
    explicit read_skill_file_tool(skill_place of) : of_(std::move(of)) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        static const tool_definition made = define_tool(
            "read_skill_file",
            "Reads a file of the skill, by the path that the instructions name.",
            R"({"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false})"
        );
        return made;
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text arguments, tool_context) override {
        const std::string path = text_argument(arguments, "path");
        if (std::ranges::find(of_.text.files, path) == of_.text.files.end()) {
            co_return tool_output{"The skill has no file of this name.", true};
        }
        auto read = co_await of_.skills->read_file(
            of_.organization, of_.skill, of_.text.revision, path
        );
        if (!read && read.error() == errc::payload_too_large) {
            co_return tool_output{"The file is too large to be read.", true};
        }
        if (!read) {
            co_return read.error();
        }
        if (read->find('\0') != std::string::npos) {
            co_return tool_output{"The file is no text.", true};
        }
        co_return tool_output{*std::move(read)};
    }

   private:
    const skill_place of_;
};

}  // namespace

std::vector<std::shared_ptr<tool>> make_skill_tools(const skill_place& of) {
    if (of.text.files.empty()) {
        return {};
    }
    return {std::make_shared<read_skill_file_tool>(of)};
}

}  // namespace convene
