// SPDX-License-Identifier: Apache-2.0
// An operation on its way through a store, whatever its type.
//
// Nothing here knows the list of all operations: a new one, in a header of its own, compiles again only the
// stores and whoever uses it.
#pragma once

#include "convene/error.hpp"

#include <optional>

namespace convene {

class tables;

/// An operation on its way through a store, whatever its type.
class operation {
   public:
    virtual ~operation() = default;

    /// Runs it and keeps the answer.
    virtual void apply_to(tables& target) = 0;

    /// True if it was applied and answered an error: what it wrote must be rolled back.
    [[nodiscard]] virtual bool has_failed() const noexcept = 0;

    /// True for operations that change nothing: they may run beside a writer.
    [[nodiscard]] virtual bool is_read_only() const noexcept = 0;

    /// True for operations that decide on nothing but rows that they compare and change themselves, or only add rows: two
    /// of them that meet do so in a row, and what else changes beside them makes no difference. Others run as if alone.
    [[nodiscard]] virtual bool guards_itself() const noexcept = 0;

    /// True for operations that lock the row on which all they decide hangs before they look at anything: who waited for
    /// it goes on with what is committed by then, instead of failing and running again.
    [[nodiscard]] virtual bool locks_first() const noexcept = 0;

    /// The operation's word, for logs, metrics and scripts: `commit`, `finish_set`, ...
    [[nodiscard]] virtual const char* name() const noexcept = 0;
};

namespace detail {

/// One operation with its answer. The members are defined in `operation.cpp`, for each operation there is.
template <class Op>
class typed_operation final : public operation {
   public:
    explicit typed_operation(Op request);

    void apply_to(tables& target) override;
    [[nodiscard]] bool has_failed() const noexcept override;
    [[nodiscard]] bool is_read_only() const noexcept override;
    [[nodiscard]] bool guards_itself() const noexcept override;
    [[nodiscard]] bool locks_first() const noexcept override;
    [[nodiscard]] const char* name() const noexcept override;

    [[nodiscard]] const Op& request() const noexcept { return request_; }

    /// What came of it where it was not applied to tables.
    void answer(result<typename Op::answer> given);

    /// The answer; call once, after it was applied or answered.
    [[nodiscard]] result<typename Op::answer> take();

   private:
    Op request_;
    std::optional<result<typename Op::answer>> answer_;
};

}  // namespace detail

}  // namespace convene
