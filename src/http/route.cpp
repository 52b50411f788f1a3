// SPDX-License-Identifier: Apache-2.0
// Routes: what a handler asks of its call.
#include "http/route.hpp"

#include <algorithm>
#include <charconv>

#include "base/assert.hpp"

namespace convene {

namespace {

using pairs = std::vector<std::pair<std::string, std::string>>;

const std::string* find_in(const pairs& values, std::string_view name) {
    const auto found = std::ranges::find(values, name, &pairs::value_type::first);
    return found == values.end() ? nullptr : &found->second;
}

}  // namespace

parameter query_parameter(
    std::string name, schema type, std::string description, std::string fallback
) {
    return {
        std::move(name),
        parameter_place::query,
        std::move(type),
        std::move(description),
        std::move(fallback),
    };
}

parameter header_parameter(std::string name, schema type, std::string description) {
    parameter made;
    made.name = std::move(name);
    made.in = parameter_place::header;
    made.type = std::move(type);
    made.description = std::move(description);
    return made;
}

const std::string& route_call::at(std::string_view name) const {
    const std::string* const value = find_in(path, name);
    CONVENE_ASSERT(value != nullptr, "a handler reads a path parameter its pattern lacks");
    return *value;
}

std::optional<std::string> route_call::text(std::string_view name) const {
    const std::string* const value = find_in(parameters, name);
    if (value != nullptr) {
        return *value;
    }
    const auto declared = std::ranges::find(matched->parameters, name, &parameter::name);
    CONVENE_ASSERT(
        declared != matched->parameters.end(), "a handler reads a parameter its route lacks"
    );
    return declared->fallback.empty() ? std::nullopt : std::optional{declared->fallback};
}

std::optional<std::int64_t> route_call::integer(std::string_view name) const {
    const std::optional<std::string> value = text(name);
    if (!value) {
        return std::nullopt;
    }
    std::int64_t read = 0;
    std::from_chars(value->data(), value->data() + value->size(), read);
    return read;
}

bool route_call::flag(std::string_view name) const {
    const std::optional<std::string> value = text(name);
    return value == "true" || value == "1";
}

http_response json_answer(int status, const json_text& body) {
    http_response answer;
    answer.status = status;
    answer.headers.set("content-type", "application/json");
    answer.body = body.str();
    return answer;
}

http_response no_content() {
    http_response answer;
    answer.status = 204;
    return answer;
}

}  // namespace convene
