// SPDX-License-Identifier: Apache-2.0
// Recovery of answers: the keys and the table of D7.
#include "room/agent_recovery.hpp"

#include <algorithm>
#include <utility>

#include "base/mutant.hpp"

namespace convene {

namespace {

constexpr std::string_view reply_prefix = "reply:";

std::string make_key(const delivery_id& row, std::int32_t generation, std::string_view part) {
    std::string key{reply_prefix};
    key += row.str();
    key += ':';
    key += std::to_string(generation);
    key += ':';
    key += part;
    if (CONVENE_MUTANT("second_reply_for_one_row")) {
        static std::int64_t keys_made = 0;
        key += '-';
        key += std::to_string(++keys_made);
    }
    return key;
}

/// How much of one generation is stored.
enum class progress { nothing, called, open, ended, whole };

progress progress_of(
    const delivery_id& row, std::int32_t generation, const std::vector<ops::key_hit>& stored
) {
    const auto is_stored = [&](const std::string& key) {
        return std::ranges::find(stored, key, &ops::key_hit::key) != stored.end();
    };
    if (is_stored(reply_whole_key(row, generation))) {
        return progress::whole;
    }
    if (is_stored(reply_end_key(row, generation))) {
        return progress::ended;
    }
    // Segments are committed in order, and so are records: without the first there is none.
    if (is_stored(reply_key(row, generation, 0))) {
        return progress::open;
    }
    return is_stored(reply_call_key(row, generation, 0)) ? progress::called : progress::nothing;
}

using row_fate = recovery_decision::row_fate;

/// The first answer was begun and cut off: may there be another?
recovery_decision after_first(std::optional<std::int32_t> close, agent_recovery policy) {
    if (policy == agent_recovery::stop) {
        return {close, row_fate::fail, 0};
    }
    return {close, row_fate::answer, 1};
}

}  // namespace

std::string reply_key(const delivery_id& row, std::int32_t generation, std::int32_t n) {
    return make_key(row, generation, std::to_string(n));
}

std::string reply_end_key(const delivery_id& row, std::int32_t generation) {
    return make_key(row, generation, "end");
}

std::string reply_whole_key(const delivery_id& row, std::int32_t generation) {
    return make_key(row, generation, "whole");
}

std::string reply_call_key(const delivery_id& row, std::int32_t generation, std::int32_t n) {
    return make_key(row, generation, "call:" + std::to_string(n));
}

bool is_reply_key(std::string_view key) noexcept { return key.starts_with(reply_prefix); }

bool speaks_for_its_answer(std::string_view reply_key) noexcept {
    return reply_key.ends_with(":0:0") || reply_key.ends_with(":0:whole");
}

std::vector<std::string> recovery_keys(const delivery_id& row) {
    std::vector<std::string> keys;
    for (const std::int32_t generation : {0, 1}) {
        keys.push_back(reply_key(row, generation, 0));
        keys.push_back(reply_call_key(row, generation, 0));
        keys.push_back(reply_end_key(row, generation));
        keys.push_back(reply_whole_key(row, generation));
    }
    return keys;
}

recovery_decision decide_recovery(
    const delivery_id& row, const std::vector<ops::key_hit>& stored, agent_recovery policy
) {
    const progress first = progress_of(row, 0, stored);
    const progress second = progress_of(row, 1, stored);
    if (first == progress::whole || second == progress::whole) {
        return {std::nullopt, row_fate::finish, 0};
    }
    switch (second) {
        case progress::open:
            return {1, row_fate::fail, 0};
        case progress::called:
        case progress::ended:
            return {std::nullopt, row_fate::fail, 0};
        default:
            break;
    }
    switch (first) {
        case progress::open:
            return after_first(0, policy);
        case progress::called:
        case progress::ended:
            return after_first(std::nullopt, policy);
        default:
            return {std::nullopt, row_fate::answer, 0};
    }
}

}  // namespace convene
