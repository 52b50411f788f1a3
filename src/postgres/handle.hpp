// SPDX-License-Identifier: Apache-2.0
// What libpq hands out, owned; connecting; the settings that every session of ours has; arguments and rows.
#pragma once

#include "convene/error.hpp"
#include "convene/ids.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql/session.hpp"

struct pg_conn;
struct pg_result;

namespace convene::postgres {

struct close_connection {
    void operator()(pg_conn* connection) const noexcept;
};

struct clear_result {
    void operator()(pg_result* answer) const noexcept;
};

using connection_handle = std::unique_ptr<pg_conn, close_connection>;
using result_set = std::unique_ptr<pg_result, clear_result>;

enum class session_kind {
    operations,  ///< queries and transactions of the store
    commits,  ///< holds room locks; the server ends it when its process has been silent for too long
    leases,   ///< holds claims for as long as its process lives
};

struct session_options {
    /// `postgresql://...` or `host=... dbname=...`, as libpq reads it. What it leaves out comes from the `PG*`
    /// variables.
    std::string address;
    session_kind kind = session_kind::operations;

    /// The worker that this session belongs to; empty for a tool that is none. The session holds the worker's liveness
    /// key, shared, for as long as it lives: as long as one session holds it the worker is not dead (L10).
    incarnation_id incarnation = {};
};

/// What a session of a worker is called in `pg_stat_activity`.
[[nodiscard]] std::string application_name_of(const incarnation_id& worker);

/// The key that all sessions of a worker hold, shared.
[[nodiscard]] std::int64_t liveness_key(const incarnation_id& worker);

/// Connects and sets what such a session has set. **It blocks**, at most `connect_timeout` of the address (5 s).
/// *Errors*: `unavailable`, with the server's text in the log; `incarnation_dead` (somebody proves the worker dead at
/// this moment, or has proven it: the worker has to start anew).
[[nodiscard]] result<connection_handle> connect(const session_options& options);

/// The arguments of one statement in text form, with their types.
class arguments final : public sql::argument_sink {
   public:
    explicit arguments(int count);

    [[nodiscard]] int parameter_count() const noexcept override {
        return static_cast<int>(values_.size());
    }

    void bind_text(int position, sql::text_lifetime how, std::string_view value) override;
    void bind_bytes(int position, sql::text_lifetime how, std::string_view value) override;
    void bind_integer(int position, std::int64_t value) override;
    void bind_real(int position, double value) override;
    void bind_null(int position, sql::value_kind kind) override;

    /// As libpq takes them; null pointers for NULL. *Lifetime*: until the next call that changes them.
    [[nodiscard]] std::vector<const char*> pointers() const;
    [[nodiscard]] std::vector<int> lengths() const;

    [[nodiscard]] const std::vector<unsigned>& types() const noexcept { return types_; }

   private:
    void set(int position, unsigned type, std::optional<std::string> value);

    std::vector<std::optional<std::string>> values_;
    std::vector<unsigned> types_;
};

/// The rows of an answer.
class result_rows final : public sql::row_source {
   public:
    result_rows() = default;

    explicit result_rows(result_set answer) : answer_(std::move(answer)) {}

    [[nodiscard]] bool has_answer() const noexcept { return answer_ != nullptr; }

    /// How many rows the statement changed.
    [[nodiscard]] std::int64_t changes() const noexcept;

    [[nodiscard]] bool step() override;

    void reset() noexcept override { answer_.reset(); }

    [[nodiscard]] std::int64_t integer(int column) const noexcept override;
    [[nodiscard]] double real(int column) const noexcept override;
    [[nodiscard]] std::string_view text(int column) const noexcept override;
    [[nodiscard]] std::string bytes(int column) const override;
    [[nodiscard]] bool is_null(int column) const noexcept override;

   private:
    result_set answer_;
    int row_ = -1;
};

/// What an answer that is no success says. `state` is empty where the connection itself failed.
struct server_error {
    errc code{};
    std::string state;
    std::string text;
};

/// Unset for a success.
[[nodiscard]] std::optional<server_error> error_in(const pg_result* answer);

}  // namespace convene::postgres
