// SPDX-License-Identifier: Apache-2.0
// A tool that is a function, and remembers its calls.
#pragma once

#include "convene/tool.hpp"
#include "convene/wait.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace convene {

class scripted_tool final : public tool {
   public:
    using function = std::function<awaitable<result<tool_output>>(json_text arguments)>;

    scripted_tool(std::string name, std::string parameters, function does)
        : does_(std::move(does)) {
        definition_.name = std::move(name);
        definition_.description = "for a test";
        definition_.parameters = json_text::trusted(std::move(parameters));
    }

    /// Takes anything and says this.
    [[nodiscard]] static std::shared_ptr<scripted_tool> saying(std::string name, std::string text) {
        return std::make_shared<scripted_tool>(
            std::move(name), R"({"type":"object"})", [text](json_text) { return say(text); }
        );
    }

    /// Says it after a while.
    [[nodiscard]] static std::shared_ptr<scripted_tool> slow(
        std::string name, std::chrono::milliseconds span
    ) {
        return std::make_shared<scripted_tool>(
            std::move(name), R"({"type":"object"})", [span](json_text) { return say_late(span); }
        );
    }

    std::chrono::milliseconds limit{60'000};
    std::vector<std::string> got;   ///< arguments of each call
    std::vector<std::string> keys;  ///< and their keys
    std::vector<tool_context> where;

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        return definition_;
    }

    [[nodiscard]] std::chrono::milliseconds call_deadline() const override { return limit; }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text arguments, tool_context context)
        override {
        got.push_back(arguments.str());
        keys.push_back(context.call_key);
        where.push_back(std::move(context));
        return does_(std::move(arguments));
    }

    [[nodiscard]] static awaitable<result<tool_output>> say(std::string text) {
        co_return tool_output{std::move(text)};
    }

   private:
    static awaitable<result<tool_output>> say_late(std::chrono::milliseconds span) {
        const result<> slept = co_await sleep_for(span);
        if (!slept) {
            co_return slept.error();
        }
        co_return tool_output{"late"};
    }

    tool_definition definition_;
    const function does_;
};

}  // namespace convene
