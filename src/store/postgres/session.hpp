// SPDX-License-Identifier: Apache-2.0
// One PostgreSQL connection as an SQL session: prepared statements, transactions, and a broken one that says so.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/sql/session.hpp"
#include "postgres/handle.hpp"

namespace convene::postgres {

enum class transaction_kind {
    reading,    ///< one state of the database for all its statements
    writing,    ///< as if it ran alone: what it read is still so when it commits
    comparing,  ///< what it changed was as it had read it; the rest may change beside it
    locking,    ///< each statement sees what is committed: it locks a row before it looks
};

/// A session that blocks: it belongs to a thread of a pool.
///
/// The texts of the statements are those of every SQL database; see `statement_text`. A failure latches, and remembers
/// whether the same transaction is worth another try.
/// *Thread safety*: none; one thread at a time.
class session final : public sql::session {
   public:
    /// **It blocks.** *Errors*: those of `connect`.
    [[nodiscard]] static result<std::unique_ptr<session>> open(const session_options& options);

    ~session();

    /// Runs statements without arguments that are not worth preparing.
    void run_script(const std::string& sql);

    /// Said together with the first statement.
    void begin(transaction_kind kind);

    /// *Errors*: what had latched, and then nothing is stored; `outcome_unknown` if the connection ended before
    /// the answer came.
    [[nodiscard]] result<> commit();
    void roll_back() noexcept;

    /// True once the connection is of no more use.
    [[nodiscard]] bool is_broken() const noexcept;

    /// True if what latched came from transactions beside this one.
    [[nodiscard]] bool is_worth_repeating() const noexcept { return is_worth_repeating_; }

    /// True if what latched was a key that is taken: by another transaction a moment ago, or by the operation itself.
    [[nodiscard]] bool met_a_taken_key() const noexcept { return met_a_taken_key_; }

   protected:
    [[nodiscard]] sql::prepared* prepare(std::string_view sql) override;

   private:
    class statement;

    explicit session(connection_handle connection) noexcept;

    void say_begin();
    [[nodiscard]] pg_result* begin_and_run(
        const std::string& name,
        const std::vector<const char*>& values,
        const std::vector<int>& lengths
    );

    /// Of a COMMIT that nobody waited for.
    void take_open_answer() noexcept;

    /// Keeps a good answer; latches a bad one.
    [[nodiscard]] result_set checked(pg_result* answer);

    struct text_hash : std::hash<std::string_view> {
        using is_transparent = void;
    };

    connection_handle connection_;
    std::unordered_map<std::string, std::unique_ptr<statement>, text_hash, std::equal_to<>>
        statements_;
    std::int64_t prepared_ = 0;  ///< makes the names of statements
    transaction_kind kind_ = transaction_kind::reading;
    std::string unsaid_begin_;  ///< goes with the next statement
    bool is_answer_open_ = false;
    bool is_worth_repeating_ = false;
    bool met_a_taken_key_ = false;
};

}  // namespace convene::postgres
