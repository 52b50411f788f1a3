// SPDX-License-Identifier: Apache-2.0
// One SQLite connection: cached statements, typed binding and reading, and a failure that latches.
#pragma once

#include "convene/error.hpp"
#include "convene/ids.hpp"
#include "convene/json_text.hpp"
#include "convene/time.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace convene::sqlite {

struct close_statement {
    void operator()(sqlite3_stmt* statement) const noexcept;
};

struct close_database {
    void operator()(sqlite3* database) const noexcept;
};

using statement = std::unique_ptr<sqlite3_stmt, close_statement>;

/// Bytes that are no text, as they are bound and read.
struct blob {
    std::string bytes;
};

template <class E>
concept enumeration = std::is_enum_v<E>;

class connection;

/// The rows of a running query, one at a time. Destroying it makes its statement ready for the next use.
///
/// *Lifetime*: ends before its connection; two queries of one text do not run at the same time.
class query {
   public:
    query(connection& database, sqlite3_stmt* running) noexcept
        : database_(&database), running_(running) {}

    query(query&& other) noexcept
        : database_(other.database_), running_(std::exchange(other.running_, nullptr)) {}

    query& operator=(query&&) = delete;
    ~query();

    /// Goes to the next row. False at the end, and after a failure of the connection.
    [[nodiscard]] bool next();

    /// Takes the columns of the row from the left, as many as there are arguments, going on where the last call
    /// stopped.
    template <class... T>
    void read(T&... into) {
        (get(column_++, into), ...);
    }

   private:
    [[nodiscard]] std::int64_t integer(int column) const noexcept;
    [[nodiscard]] std::string_view text(int column) const noexcept;
    [[nodiscard]] std::string_view bytes(int column) const noexcept;
    [[nodiscard]] bool is_null(int column) const noexcept;

    void get(int column, std::int64_t& into) const { into = integer(column); }

    void get(int column, std::int32_t& into) const {
        into = static_cast<std::int32_t>(integer(column));
    }

    void get(int column, bool& into) const { into = integer(column) != 0; }

    void get(int column, double& into) const noexcept;

    void get(int column, std::string& into) const { into = text(column); }

    void get(int column, blob& into) const { into.bytes = bytes(column); }

    void get(int column, json_text& into) const {
        into = json_text::trusted(std::string{text(column)});
    }

    void get(int column, event_index& into) const { into = event_index{integer(column)}; }

    void get(int column, wall_time& into) const { into = wall_time{microseconds{integer(column)}}; }

    template <class Rep, class Period>
    void get(int column, std::chrono::duration<Rep, Period>& into) const {
        into = std::chrono::duration<Rep, Period>{integer(column)};
    }

    template <enumeration E>
    void get(int column, E& into) const {
        into = static_cast<E>(integer(column));
    }

    template <class Tag>
    void get(int column, text_id<Tag>& into) const {
        into = text_id<Tag>{std::string{text(column)}};
    }

    template <class T>
    void get(int column, std::optional<T>& into) const {
        into.reset();
        if (!is_null(column)) {
            get(column, into.emplace());
        }
    }

    connection* database_;
    sqlite3_stmt* running_;
    int column_ = 0;
};

enum class open_mode { read_only, read_write, create };

enum class wal_move {
    what_readers_allow,  ///< never waits; the log may go on growing while readers overlap
    wait_for_readers,    ///< waits, bounded, until the log can start afresh
};

/// A connection that remembers its first failure.
///
/// After a failure every statement does nothing: a query has no rows, a write changes nothing. So the steps of an
/// operation need no test each; whoever runs the operation asks `failure()` at its end, throws away what was
/// computed meanwhile, and rolls back.
///
/// *Thread safety*: none; one thread at a time.
class connection {
   public:
    /// *Errors*: `io_failed` (can't be opened). That a file is no database shows at the first statement.
    [[nodiscard]] static result<std::unique_ptr<connection>> open(
        const std::filesystem::path& path, open_mode mode
    );

    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    /// Starts a query (or a writing statement with `RETURNING`) with `?1`, `?2`, ... bound to the arguments, which are copied.
    template <class... T>
    [[nodiscard]] query select(std::string_view sql, const T&... arguments) {
        return query{*this, prepare(sql, copies, arguments...)};
    }

    /// The first column of the first row; unset if there is no row.
    template <class Value, class... T>
    [[nodiscard]] std::optional<Value> value_of(std::string_view sql, const T&... arguments) {
        query rows = select(sql, arguments...);
        if (!rows.next()) {
            return std::nullopt;
        }
        std::optional<Value> value{std::in_place};
        rows.read(*value);
        return value;
    }

    /// Whether the query has a row.
    template <class... T>
    [[nodiscard]] bool exists(std::string_view sql, const T&... arguments) {
        return select(sql, arguments...).next();
    }

    /// Runs a statement that changes rows and answers how many.
    template <class... T>
    std::int64_t run(std::string_view sql, const T&... arguments) {
        return finish(prepare(sql, borrows, arguments...));
    }

    /// The texts of the statements in the cache: what the operations so far are made of.
    [[nodiscard]] std::vector<std::string> cached_texts() const;

    /// Runs statements without arguments that are not worth caching: pragmas, schema changes.
    void run_script(const std::string& sql);

    [[nodiscard]] std::int64_t last_id() const noexcept;

    /// The first failure since the last `forget_failure`; empty when there was none.
    [[nodiscard]] const error_code& failure() const noexcept { return failure_; }

    /// What SQLite said about it, for a log.
    [[nodiscard]] const std::string& failure_text() const noexcept { return failure_text_; }

    void forget_failure() noexcept;

    /// Latches a failure that SQLite does not know of: a stored value that can't be decoded.
    void fail(errc code, std::string_view text);

    /// Stops a statement that runs on another thread. The one function that may be called from elsewhere.
    void interrupt() noexcept;

    // -- the write-ahead log -----------------------------------------------------------------------

    /// How many pages the log had after the last commit of this connection.
    [[nodiscard]] std::int64_t wal_pages() const noexcept { return wal_pages_; }

    /// Moves the log's pages into the database. Best effort: what could not be moved waits for the next time.
    void move_wal(wal_move how) noexcept;

    // -- transactions ------------------------------------------------------------------------------

    /// True while a transaction is open. A full disk or a failed read can end one by itself.
    [[nodiscard]] bool is_in_transaction() const noexcept;

    /// A number that grows with every change: equal before and after means that nothing was written.
    [[nodiscard]] std::int64_t write_count() const noexcept;

    /// Ends the open transaction, if any, without a trace. The failure stays latched.
    void roll_back() noexcept;

    /// Undoes what was written since the savepoint of this name was made; the failure stays latched.
    void roll_back_to_savepoint() noexcept;

   private:
    friend class query;

    enum binding { copies, borrows };

    explicit connection(sqlite3* database) noexcept;

    static int count_wal_pages(
        void* self, sqlite3* database, const char* schema, int pages
    ) noexcept;

    template <class... T>
    [[nodiscard]] sqlite3_stmt* prepare(std::string_view sql, binding how, const T&... arguments) {
        sqlite3_stmt* const prepared = prepared_for(sql);
        // A text that was put together may have no use for the last arguments.
        const int count = parameter_count(prepared);
        int position = 0;
        ((++position <= count ? bind(prepared, position, how, arguments) : void()), ...);
        return prepared;
    }

    [[nodiscard]] sqlite3_stmt* prepared_for(std::string_view sql);
    [[nodiscard]] static int parameter_count(sqlite3_stmt* prepared) noexcept;
    [[nodiscard]] std::int64_t finish(sqlite3_stmt* prepared);
    [[nodiscard]] bool step(sqlite3_stmt* prepared);
    void execute_quietly(const char* sql) noexcept;
    void latch(int extended_result);

    void bind_text(sqlite3_stmt* prepared, int position, binding how, std::string_view value);
    void bind_bytes(sqlite3_stmt* prepared, int position, binding how, std::string_view value);
    void bind_integer(sqlite3_stmt* prepared, int position, std::int64_t value);
    void bind_real(sqlite3_stmt* prepared, int position, double value);
    void bind_null(sqlite3_stmt* prepared, int position);

    template <std::integral I>
        requires(!std::same_as<I, bool>)
    void bind(sqlite3_stmt* prepared, int position, binding, I value) {
        // A limit beyond what SQLite can count is no limit.
        const bool fits = std::in_range<std::int64_t>(value);
        bind_integer(
            prepared,
            position,
            fits ? static_cast<std::int64_t>(value) : std::numeric_limits<std::int64_t>::max()
        );
    }

    // A template, so that no pointer is taken for a boolean.
    template <std::same_as<bool> B>
    void bind(sqlite3_stmt* prepared, int position, binding, B value) {
        bind_integer(prepared, position, value ? 1 : 0);
    }

    template <enumeration E>
    void bind(sqlite3_stmt* prepared, int position, binding, E value) {
        bind_integer(prepared, position, static_cast<std::int64_t>(value));
    }

    void bind(sqlite3_stmt* prepared, int position, binding, double value) {
        bind_real(prepared, position, value);
    }

    void bind(sqlite3_stmt* prepared, int position, binding how, std::string_view value) {
        bind_text(prepared, position, how, value);
    }

    void bind(sqlite3_stmt* prepared, int position, binding how, const blob& value) {
        bind_bytes(prepared, position, how, value.bytes);
    }

    void bind(sqlite3_stmt* prepared, int position, binding how, const json_text& value) {
        bind_text(prepared, position, how, value.str());
    }

    void bind(sqlite3_stmt* prepared, int position, binding, event_index value) {
        bind_integer(prepared, position, value.value());
    }

    void bind(sqlite3_stmt* prepared, int position, binding, wall_time value) {
        bind_integer(prepared, position, value.time_since_epoch().count());
    }

    template <class Rep, class Period>
    void bind(
        sqlite3_stmt* prepared, int position, binding, std::chrono::duration<Rep, Period> value
    ) {
        bind_integer(prepared, position, value.count());
    }

    template <class Tag>
    void bind(sqlite3_stmt* prepared, int position, binding how, const text_id<Tag>& value) {
        bind_text(prepared, position, how, value.str());
    }

    template <class T>
    void bind(sqlite3_stmt* prepared, int position, binding how, const std::optional<T>& value) {
        if (value) {
            bind(prepared, position, how, *value);
        } else {
            bind_null(prepared, position);
        }
    }

    struct text_hash : std::hash<std::string_view> {
        using is_transparent = void;
    };

    std::unique_ptr<sqlite3, close_database> database_;
    std::unordered_map<std::string, statement, text_hash, std::equal_to<>> statements_;
    error_code failure_;
    std::string failure_text_;
    std::int64_t wal_pages_ = 0;
    std::int64_t scripts_ = 0;  ///< schema changes, which SQLite does not count as changes
};

}  // namespace convene::sqlite
