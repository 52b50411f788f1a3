// SPDX-License-Identifier: Apache-2.0
// Client state: scopes are prefixes of keys.
#include "agent/session/client_state.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/canonical_json.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

bool is_scoped(std::string_view key) {
    return key.starts_with("user:") || key.starts_with("app:") || key.starts_with("temp:");
}

}  // namespace

json_text session_part_of(const json_text& state) {
    const auto document = json_document::parse(
        state.str(), "state", boundary_limits::of_stored_json()
    );
    json_writer out;
    out.begin_object();
    if (document && document->root().is_object()) {
        for (const auto& member : document->root().get_object()) {
            const std::string_view key{member.key().data(), member.key().size()};
            const auto value = find_member(state.str(), key);
            if (!is_scoped(key) && value) {
                out.key(key).json(json_text::trusted(std::string{*value}));
            }
        }
    }
    out.end_object();
    return out.take();
}

json_text merged_state(const session_state& state) {
    json_writer out;
    out.begin_object();
    const auto add = [&out](const json_text& scope, std::string_view prefix) {
        const auto document = json_document::parse(
            scope.str(), "state", boundary_limits::of_stored_json()
        );
        if (!document || !document->root().is_object()) {
            return;
        }
        for (const auto& member : document->root().get_object()) {
            const std::string_view key{member.key().data(), member.key().size()};
            if (const auto value = find_member(scope.str(), key)) {
                out.key(std::string{prefix} + std::string{key});
                out.json(json_text::trusted(std::string{*value}));
            }
        }
    };
    add(state.session, {});
    add(state.user, "user:");
    add(state.app, "app:");
    out.end_object();
    return out.take();
}

}  // namespace convene
