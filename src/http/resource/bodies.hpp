// SPDX-License-Identifier: Apache-2.0
// Bodies that several routes take: bindings, participants and events as callers describe them.
#pragma once

#include "convene/room.hpp"
#include "convene/room_kit.hpp"

#include <optional>
#include <string>
#include <vector>

#include "http/problem.hpp"
#include "http/schema.hpp"

namespace convene {

[[nodiscard]] const schema& new_binding_schema();
[[nodiscard]] const schema& binding_patch_schema();
[[nodiscard]] const schema& new_participant_schema();
[[nodiscard]] const schema& participant_patch_schema();

/// Puts what the body names into a binding; the rest stays. Errors name fields below `path`.
[[nodiscard]] or_problem<> apply_to(binding* changed, const read_object& body, std::string path);

void apply_to(participant* changed, const read_object& body);

// The fields `retry` and `rate_limit` of bindings and channels: what is sent replaces it, `null` takes it away.
void apply_retry(std::optional<retry_policy>* changed, const read_object& body);
void apply_rate_limit(std::optional<rate_limit>* changed, const read_object& body);

/// A merge patch of the first level of an object: the keys to set, and those that go because they are `null`.
struct merge_patch {
    json_text set;
    std::vector<std::string> unset;
};

[[nodiscard]] merge_patch split_merge_patch(const json_text& patch);

/// Who sees it, from its text form.
[[nodiscard]] or_problem<visibility> read_visibility(const std::string& text, std::string field);

}  // namespace convene
