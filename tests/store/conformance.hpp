// SPDX-License-Identifier: Apache-2.0
// The fixture of the conformance suite: a fresh store per test, and the invariants that hold after
// each.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "store/store_harness.hpp"
#include "support/store_fixtures.hpp"

namespace convene {

using namespace std::chrono_literals;

inline constexpr errc succeeded{};

class conformance : public testing::TestWithParam<store_kind> {
   protected:
    /// Checks every room's counters: no test may leave them wrong.
    void TearDown() override;

    [[nodiscard]] store_harness& harness() { return *harness_; }

    [[nodiscard]] manual_wall_clock& clock() { return harness_->clock(); }

    template <class Op>
    [[nodiscard]] result<typename Op::answer> run(Op request) {
        return harness_->run(std::move(request));
    }

    /// The answer of an operation that must succeed; the test fails otherwise.
    template <class Op>
    typename Op::answer must(Op request) {
        return run(std::move(request)).value();
    }

    /// What an operation fails with; `succeeded` if it does not.
    template <class Op>
    [[nodiscard]] errc error_of(Op request) {
        return static_cast<errc>(run(std::move(request)).error().value());
    }

    // -- short forms --------------------------------------------------------------------------

    room create(const std::string& id);
    [[nodiscard]] room get(const std::string& id);

    [[nodiscard]] batch_on batch(const std::string& id) { return batch_on{get(id)}; }

    /// Commits one event per id, in a batch of its own each.
    void commit_messages(const std::string& id, const std::vector<std::string>& ids);

    /// The events of a room from the first on, in pages.
    [[nodiscard]] std::vector<room_event> events_of(const std::string& id);
    [[nodiscard]] room_event event(const std::string& room, const std::string& id);
    [[nodiscard]] std::vector<delivery_row> rows_of(
        const std::string& room, const std::string& event
    );
    [[nodiscard]] delivery_cursor cursor_of(const std::string& id);

    /// Takes the cursor of a room for a worker.
    delivery_cursor claim(const std::string& id, incarnation_id worker = worker_one());

    void register_worker(const incarnation_id& worker);
    void bury(const incarnation_id& worker);

   private:
    std::unique_ptr<store_harness> harness_ = GetParam().open();
};

[[nodiscard]] std::vector<std::string> ids_of(const std::vector<room_event>& events);
[[nodiscard]] std::vector<std::string> ids_of(const std::vector<room>& rooms);

/// A step of the cursor over one event, with nothing else to store.
[[nodiscard]] ops::finish_set step(const std::string& room, std::int64_t epoch, std::int64_t index);

/// What one row came to.
[[nodiscard]] ops::row_result outcome_of(const delivery_row& row, delivery_state state);

// How a failing test prints them.
void PrintTo(errc code, std::ostream* out);
void PrintTo(const store_kind& kind, std::ostream* out);

/// The name of a test's instance: `Memory`, ...
[[nodiscard]] std::string name_of_store(const testing::TestParamInfo<store_kind>& info);

}  // namespace convene

/// Runs the tests of a fixture on every store.
#define CONVENE_ON_EVERY_STORE(fixture) \
    INSTANTIATE_TEST_SUITE_P(Every, fixture, testing::ValuesIn(all_stores()), name_of_store)
