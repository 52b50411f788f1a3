// SPDX-License-Identifier: Apache-2.0
// HTTP messages: methods and field lines.
#include "net/http_message.hpp"

#include <algorithm>
#include <utility>

namespace convene {

std::string_view word_of(http_method method) noexcept {
    switch (method) {
        case http_method::get:
            return "GET";
        case http_method::head:
            return "HEAD";
        case http_method::post:
            return "POST";
        case http_method::put:
            return "PUT";
        case http_method::patch:
            return "PATCH";
        case http_method::delete_:
            return "DELETE";
        case http_method::options:
            return "OPTIONS";
    }
    return "";
}

void http_headers::add(std::string name, std::string value) {
    lines_.emplace_back(std::move(name), std::move(value));
}

void http_headers::set(std::string name, std::string value) {
    std::erase_if(lines_, [&](const auto& line) { return line.first == name; });
    add(std::move(name), std::move(value));
}

std::optional<std::string_view> http_headers::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find_if(lines_, [&](const auto& line) {
        return line.first == name;
    });
    if (found == lines_.end()) {
        return std::nullopt;
    }
    return found->second;
}

}  // namespace convene
