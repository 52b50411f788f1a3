// SPDX-License-Identifier: Apache-2.0
// One session with an SQL database: statements with typed arguments and columns, and a failure that latches.
//
// Statements are written for all databases: parameters are `?1`, `?2`, ..., and only what SQLite and PostgreSQL
// mean the same by is used. What a database needs said differently its session translates.
#pragma once

#include "convene/error.hpp"
#include "convene/ids.hpp"
#include "convene/json_text.hpp"
#include "convene/time.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace convene::sql {

template <class E>
concept enumeration = std::is_enum_v<E>;

/// How long the bytes of a text argument live.
enum class text_lifetime {
    copies,   ///< until the call returns: they are copied
    borrows,  ///< until the statement has run
};

/// What an argument is, for a database that wants to know of a NULL too.
enum class value_kind { integer, real, text, bytes };

/// Bytes that are no text, as they are bound and read.
struct blob {
    std::string bytes;
};

/// Takes the arguments of a statement, by position from 1.
class argument_sink {
   public:
    [[nodiscard]] virtual int parameter_count() const noexcept = 0;
    virtual void bind_text(int position, text_lifetime how, std::string_view value) = 0;
    virtual void bind_bytes(int position, text_lifetime how, std::string_view value) = 0;
    virtual void bind_integer(int position, std::int64_t value) = 0;
    virtual void bind_real(int position, double value) = 0;
    virtual void bind_null(int position, value_kind kind) = 0;

   protected:
    ~argument_sink() = default;
};

/// Rows, one at a time.
class row_source {
   public:
    /// Goes to the first row, or to the next. False at the end and after a failure.
    [[nodiscard]] virtual bool step() = 0;

    /// Lets go of the rows.
    virtual void reset() noexcept = 0;

    // Columns of the row, from 0. *Requires*: `step` answered true.
    [[nodiscard]] virtual std::int64_t integer(int column) const noexcept = 0;
    [[nodiscard]] virtual double real(int column) const noexcept = 0;
    [[nodiscard]] virtual std::string_view text(int column) const noexcept = 0;
    [[nodiscard]] virtual std::string bytes(int column) const = 0;
    [[nodiscard]] virtual bool is_null(int column) const noexcept = 0;

   protected:
    ~row_source() = default;
};

/// A statement that a session has prepared: it takes arguments, runs with its first step, and is ready for its next
/// use once it was reset. A failure latches in the session.
class prepared : public argument_sink, public row_source {
   public:
    prepared() = default;
    prepared(const prepared&) = delete;
    prepared& operator=(const prepared&) = delete;

    /// How many rows it changed, once it has run.
    [[nodiscard]] virtual std::int64_t changes() const noexcept = 0;

   protected:
    ~prepared() = default;
};

/// The rows of a running query, one at a time. Destroying it makes its statement ready for the next use.
///
/// *Lifetime*: ends before its session; two queries of one text do not run at the same time.
class query {
   public:
    explicit query(row_source* running) noexcept : running_(running) {}

    query(query&& other) noexcept : running_(std::exchange(other.running_, nullptr)) {}

    query& operator=(query&&) = delete;

    ~query() {
        if (running_ != nullptr) {
            running_->reset();
        }
    }

    /// Goes to the next row. False at the end, and after a failure of the session.
    [[nodiscard]] bool next() {
        column_ = 0;
        return running_ != nullptr && running_->step();
    }

    /// Takes the columns of the row from the left, as many as there are arguments, going on where the last call
    /// stopped.
    template <class... T>
    void read(T&... into) {
        (get(column_++, into), ...);
    }

   private:
    void get(int column, std::int64_t& into) const { into = running_->integer(column); }

    void get(int column, std::int32_t& into) const {
        into = static_cast<std::int32_t>(running_->integer(column));
    }

    void get(int column, bool& into) const { into = running_->integer(column) != 0; }

    void get(int column, double& into) const { into = running_->real(column); }

    void get(int column, std::string& into) const { into = running_->text(column); }

    void get(int column, blob& into) const { into.bytes = running_->bytes(column); }

    void get(int column, json_text& into) const {
        into = json_text::trusted(std::string{running_->text(column)});
    }

    void get(int column, event_index& into) const { into = event_index{running_->integer(column)}; }

    void get(int column, wall_time& into) const {
        into = wall_time{microseconds{running_->integer(column)}};
    }

    template <class Rep, class Period>
    void get(int column, std::chrono::duration<Rep, Period>& into) const {
        into = std::chrono::duration<Rep, Period>{running_->integer(column)};
    }

    template <enumeration E>
    void get(int column, E& into) const {
        into = static_cast<E>(running_->integer(column));
    }

    template <class Tag>
    void get(int column, text_id<Tag>& into) const {
        into = text_id<Tag>{std::string{running_->text(column)}};
    }

    template <class T>
    void get(int column, std::optional<T>& into) const {
        into.reset();
        if (!running_->is_null(column)) {
            get(column, into.emplace());
        }
    }

    row_source* running_;
    int column_ = 0;
};

/// Hands the arguments of a call to a statement, in order.
class binder {
   public:
    template <class... T>
    static void bind_all(argument_sink& sink, text_lifetime how, const T&... arguments) {
        // A text that was put together may have no use for the last arguments.
        const int count = sink.parameter_count();
        int position = 0;
        ((++position <= count ? bind(sink, position, how, arguments) : void()), ...);
    }

   private:
    /// As `bind` binds a value of the type.
    template <class T>
    [[nodiscard]] static constexpr value_kind kind_of() {
        if constexpr (std::floating_point<T>) {
            return value_kind::real;
        } else if constexpr (std::same_as<T, blob>) {
            return value_kind::bytes;
        } else if constexpr (std::constructible_from<std::string_view, T> ||
                             requires(const T& text) {
                                 { text.str() } -> std::convertible_to<std::string_view>;
                             }) {
            return value_kind::text;
        } else {
            return value_kind::integer;
        }
    }

    template <std::integral I>
        requires(!std::same_as<I, bool>)
    static void bind(argument_sink& sink, int position, text_lifetime, I value) {
        // A limit beyond what SQLite can count is no limit.
        const bool fits = std::in_range<std::int64_t>(value);
        sink.bind_integer(
            position,
            fits ? static_cast<std::int64_t>(value) : std::numeric_limits<std::int64_t>::max()
        );
    }

    // A template, so that no pointer is taken for a boolean.
    template <std::same_as<bool> B>
    static void bind(argument_sink& sink, int position, text_lifetime, B value) {
        sink.bind_integer(position, value ? 1 : 0);
    }

    template <enumeration E>
    static void bind(argument_sink& sink, int position, text_lifetime, E value) {
        sink.bind_integer(position, static_cast<std::int64_t>(value));
    }

    static void bind(argument_sink& sink, int position, text_lifetime, double value) {
        sink.bind_real(position, value);
    }

    static void bind(argument_sink& sink, int position, text_lifetime how, std::string_view value) {
        sink.bind_text(position, how, value);
    }

    static void bind(argument_sink& sink, int position, text_lifetime how, const blob& value) {
        sink.bind_bytes(position, how, value.bytes);
    }

    static void bind(argument_sink& sink, int position, text_lifetime how, const json_text& value) {
        sink.bind_text(position, how, value.str());
    }

    static void bind(argument_sink& sink, int position, text_lifetime, event_index value) {
        sink.bind_integer(position, value.value());
    }

    static void bind(argument_sink& sink, int position, text_lifetime, wall_time value) {
        sink.bind_integer(position, value.time_since_epoch().count());
    }

    template <class Rep, class Period>
    static void bind(
        argument_sink& sink, int position, text_lifetime, std::chrono::duration<Rep, Period> value
    ) {
        sink.bind_integer(position, value.count());
    }

    template <class Tag>
    static void bind(
        argument_sink& sink, int position, text_lifetime how, const text_id<Tag>& value
    ) {
        sink.bind_text(position, how, value.str());
    }

    template <class T>
    static void bind(
        argument_sink& sink, int position, text_lifetime how, const std::optional<T>& value
    ) {
        if (value) {
            bind(sink, position, how, *value);
        } else {
            sink.bind_null(position, kind_of<T>());
        }
    }
};

/// Remembers the first failure.
class failure_latch {
   public:
    failure_latch() = default;
    failure_latch(const failure_latch&) = delete;
    failure_latch& operator=(const failure_latch&) = delete;

    /// The first failure since the last `forget_failure`; empty when there was none.
    [[nodiscard]] const error_code& failure() const noexcept { return failure_; }

    /// What the database said about it, for a log.
    [[nodiscard]] const std::string& failure_text() const noexcept { return failure_text_; }

    void forget_failure() noexcept {
        failure_.clear();
        failure_text_.clear();
    }

    /// Latches a failure, also one that the database does not know of: a stored value that can't be decoded.
    void fail(error_code code, std::string_view text) {
        if (!failure_) {
            failure_ = code;
            failure_text_ = text;
        }
    }

   private:
    error_code failure_;
    std::string failure_text_;
};

/// A session that remembers its first failure.
///
/// After a failure every statement does nothing: a query has no rows, a write changes nothing. So the steps of an
/// operation need no test each; whoever runs the operation asks `failure()` at its end, throws away what was
/// computed meanwhile, and rolls back.
///
/// *Thread safety*: none; one thread at a time.
class session : public failure_latch {
   public:
    /// Starts a query (or a writing statement with `RETURNING`) with `?1`, `?2`, ... bound to the arguments, which are copied.
    template <class... T>
    [[nodiscard]] query select(std::string_view sql, const T&... arguments) {
        return query{bound(sql, text_lifetime::copies, arguments...)};
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
        return finish(bound(sql, text_lifetime::borrows, arguments...));
    }

   protected:
    ~session() = default;

    /// The statement for a text, ready for its arguments; null after a failure. *Lifetime*: the session's.
    [[nodiscard]] virtual prepared* prepare(std::string_view sql) = 0;

   private:
    template <class... T>
    [[nodiscard]] prepared* bound(std::string_view sql, text_lifetime how, const T&... arguments) {
        prepared* const statement = prepare(sql);
        if (statement != nullptr) {
            binder::bind_all(*statement, how, arguments...);
        }
        return statement;
    }

    [[nodiscard]] std::int64_t finish(prepared* statement) {
        if (statement == nullptr) {
            return 0;
        }
        while (statement->step()) {
        }
        statement->reset();
        return failure() ? 0 : statement->changes();
    }
};

}  // namespace convene::sql
