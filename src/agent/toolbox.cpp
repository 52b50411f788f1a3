// SPDX-License-Identifier: Apache-2.0
// The tools of an agent: names and schemas are checked when a tool is added, arguments before it is called.
#include "convene/tool.hpp"

#include <algorithm>
#include <utility>

#include "agent/json_schema.hpp"
#include "base/log.hpp"

namespace convene {

namespace {

constexpr std::size_t longest_name = 64;

bool is_tool_name(std::string_view name) {
    const auto is_allowed = [](char c) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return is_letter || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= longest_name && std::ranges::all_of(name, is_allowed);
}

error_code refuse(const tool_definition& refused, const boundary_error& why) {
    log(log_level::warn,
        "tool_refused",
        {{"tool", refused.name}, {"field", why.field}, {"reason", word_of(why.reason)}});
    return why.code();
}

}  // namespace

result<> toolbox::add(std::shared_ptr<tool> one) {
    const tool_definition& added = one->definition();
    if (!is_tool_name(added.name)) {
        return refuse(added, {"name", boundary_reason::malformed});
    }
    if (tools_.contains(added.name)) {
        return errc::already_exists;
    }
    auto parameters = json_schema::compile(added.parameters, "parameters");
    if (!parameters) {
        return refuse(added, parameters.error());
    }
    auto compiled = std::make_shared<const json_schema>(*std::move(parameters));
    std::string name = added.name;
    tools_.emplace(std::move(name), entry{std::move(one), std::move(compiled)});
    return {};
}

std::shared_ptr<tool> toolbox::find(std::string_view name) const {
    const auto found = tools_.find(name);
    return found != tools_.end() ? found->second.made : nullptr;
}

std::optional<std::string> toolbox::find_misfit(std::string_view name, const json_text& arguments)
    const {
    const auto found = tools_.find(name);
    if (found == tools_.end()) {
        return std::nullopt;
    }
    return found->second.parameters->find_misfit(arguments);
}

std::vector<tool_definition> toolbox::definitions() const {
    std::vector<tool_definition> all;
    all.reserve(tools_.size());
    for (const auto& [name, one] : tools_) {
        all.push_back(one.made->definition());
    }
    return all;
}

}  // namespace convene
