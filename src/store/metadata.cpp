// SPDX-License-Identifier: Apache-2.0
// Merges JSON objects member by member, without touching how their values are spelled.
#include "store/metadata.hpp"

#include <algorithm>
#include <string_view>

#include "base/canonical_json.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

/// A member as it stands in canonical text: the key with its quotes. Equal keys have equal
/// spellings.
struct member {
    std::string key;
    std::string value;
};

/// The end of the string that begins at `start`: one past its closing quote.
std::size_t end_of_string(std::string_view text, std::size_t start) {
    std::size_t at = start + 1;
    while (text[at] != '"') {
        at += text[at] == '\\' ? 2 : 1;
    }
    return at + 1;
}

/// The end of the value that begins at `start`: the comma or bracket behind it.
std::size_t end_of_value(std::string_view text, std::size_t start) {
    std::size_t depth = 0;
    std::size_t at = start;
    for (;;) {
        const char c = text[at];
        if (c == '"') {
            at = end_of_string(text, at);
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}')) {
            return at;
        }
        if (c == '{' || c == '[') {
            ++depth;
        }
        if (c == '}' || c == ']') {
            --depth;
        }
        ++at;
    }
}

std::vector<member> copy_members(std::string_view object) {
    std::vector<member> members;
    std::size_t at = 1;
    while (object[at] == '"') {
        const std::size_t colon = end_of_string(object, at);
        const std::size_t end = end_of_value(object, colon + 1);
        const std::string_view key = object.substr(at, colon - at);
        const std::string_view value = object.substr(colon + 1, end - colon - 1);
        members.emplace_back(std::string{key}, std::string{value});
        at = end + 1;
        if (object[end] == '}') {
            break;
        }
    }
    return members;
}

bool is_object(const json_text& value) { return value.str().front() == '{'; }

void set_member(std::vector<member>& members, member changed) {
    const auto found = std::ranges::find(members, changed.key, &member::key);
    if (found == members.end()) {
        members.push_back(std::move(changed));
    } else {
        found->value = std::move(changed.value);
    }
}

json_text object_of(const std::vector<member>& members) {
    std::string text = "{";
    for (const member& m : members) {
        if (text.size() > 1) {
            text += ',';
        }
        text += m.key;
        text += ':';
        text += m.value;
    }
    text += '}';
    return json_text::trusted(std::move(text));
}

}  // namespace

result<json_text> merge_keys(
    const json_text& base, const json_text& patch, const std::vector<std::string>& unset
) {
    if (!is_object(base) || !is_object(patch)) {
        return errc::invalid_argument;
    }
    std::vector<member> members = copy_members(base.str());
    for (const std::string& name : unset) {
        std::string key;
        append_json_string(key, name);
        std::erase_if(members, [&](const member& m) { return m.key == key; });
    }
    for (member& changed : copy_members(patch.str())) {
        set_member(members, std::move(changed));
    }
    return object_of(members);
}

bool mentions(std::string_view metadata, std::string_view participant) {
    const std::vector<std::string_view> named = elements_of(
        find_member(metadata, "mentions").value_or("[]")
    );
    return std::ranges::any_of(named, [&](std::string_view one) {
        return decode_string(one) == participant;
    });
}

}  // namespace convene
