// SPDX-License-Identifier: Apache-2.0
// Writes that must not be forgotten: sent again until they are stored or the worker stops.
#pragma once

#include "convene/wait.hpp"

#include "store/store.hpp"

namespace convene {

/// True for failures that pass by themselves. Repeating is safe for operations that are compares or leave
/// final rows alone, which are the only ones to use this for.
[[nodiscard]] inline bool is_passing(error_code failure) {
    if (failure == errc::incarnation_dead) {
        return false;
    }
    return failure == condition::retryable || failure == condition::outcome_unknown;
}

/// Stores what has happened already: a result that is dropped leaves a row open for ever.
/// *Cancellation*: between two tries; the row then stays for whoever recovers it.
/// *Errors*: the last failure.
template <class Op>
[[nodiscard]] awaitable<result<typename Op::answer>> persist(conversation_store* store, Op write) {
    constexpr std::chrono::milliseconds between_tries{50};
    for (;;) {
        Op sent = write;
        auto stored = co_await shielded(store->run(std::move(sent)));
        if (stored || !is_passing(stored.error())) {
            co_return stored;
        }
        const result<> slept = co_await sleep_for(between_tries);
        if (!slept) {
            co_return stored;
        }
    }
}

}  // namespace convene
