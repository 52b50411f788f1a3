// SPDX-License-Identifier: Apache-2.0
// The blocking part of the PostgreSQL store that calls libpq: statements, values, and the latch.
#include "store/postgres/session.hpp"

#include <libpq-fe.h>
#include <utility>
#include <vector>

#include "postgres/failure.hpp"
#include "postgres/statement_text.hpp"

namespace convene::postgres {

namespace {

// Far more texts than the operations have; only filters that are put together at run time could exceed it.
constexpr std::size_t max_prepared = 512;

constexpr std::string_view unique_violation = "23505";

const char* begin_text(transaction_kind kind) {
    switch (kind) {
        case transaction_kind::reading:
            return "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        case transaction_kind::writing:
            return "BEGIN ISOLATION LEVEL SERIALIZABLE";
        case transaction_kind::comparing:
            return "BEGIN ISOLATION LEVEL REPEATABLE READ";
        case transaction_kind::locking:
            return "BEGIN ISOLATION LEVEL READ COMMITTED";
    }
    return "";
}

}  // namespace

// -- statements --------------------------------------------------------------------------------------

/// Prepared by the server when it runs first: by then its arguments have told the types.
class session::statement final : public sql::prepared {
   public:
    statement(session& owner, const statement_text& text, std::string name)
        : session_(owner), text_(text.text), name_(std::move(name)), arguments_(text.parameters) {}

    [[nodiscard]] int parameter_count() const noexcept override {
        return arguments_.parameter_count();
    }

    void bind_text(int position, sql::text_lifetime how, std::string_view value) override {
        arguments_.bind_text(position, how, value);
    }

    void bind_bytes(int position, sql::text_lifetime how, std::string_view value) override {
        arguments_.bind_bytes(position, how, value);
    }

    void bind_integer(int position, std::int64_t value) override {
        arguments_.bind_integer(position, value);
    }

    void bind_real(int position, double value) override { arguments_.bind_real(position, value); }

    void bind_null(int position, sql::value_kind kind) override {
        arguments_.bind_null(position, kind);
    }

    bool step() override {
        if (session_.failure()) {
            return false;
        }
        if (!rows_.has_answer()) {
            rows_ = result_rows{run()};
        }
        return rows_.step();
    }

    void reset() noexcept override {
        changes_ = rows_.changes();
        rows_.reset();
    }

    [[nodiscard]] std::int64_t changes() const noexcept override { return changes_; }

    [[nodiscard]] std::int64_t integer(int column) const noexcept override {
        return rows_.integer(column);
    }

    [[nodiscard]] double real(int column) const noexcept override { return rows_.real(column); }

    [[nodiscard]] std::string_view text(int column) const noexcept override {
        return rows_.text(column);
    }

    [[nodiscard]] std::string bytes(int column) const override { return rows_.bytes(column); }

    [[nodiscard]] bool is_null(int column) const noexcept override { return rows_.is_null(column); }

    [[nodiscard]] bool is_busy() const noexcept { return rows_.has_answer(); }

   private:
    [[nodiscard]] result_set run() {
        session_.take_open_answer();
        PGconn* const connection = session_.connection_.get();
        const int count = parameter_count();
        if (!is_prepared_) {
            session_.say_begin();
            const result_set made = session_.checked(PQprepare(
                connection, name_.c_str(), text_.c_str(), count, arguments_.types().data()
            ));
            if (!made) {
                return nullptr;
            }
            is_prepared_ = true;
        }
        const std::vector<const char*> values = arguments_.pointers();
        const std::vector<int> lengths = arguments_.lengths();
        if (!session_.unsaid_begin_.empty()) {
            return session_.checked(session_.begin_and_run(name_, values, lengths));
        }
        return session_.checked(PQexecPrepared(
            connection, name_.c_str(), count, values.data(), lengths.data(), nullptr, 0
        ));
    }

    session& session_;
    const std::string text_;
    const std::string name_;
    arguments arguments_;
    bool is_prepared_ = false;
    result_rows rows_;
    std::int64_t changes_ = 0;
};

// -- session -----------------------------------------------------------------------------------------

session::session(connection_handle connection) noexcept : connection_(std::move(connection)) {}

session::~session() = default;

result<std::unique_ptr<session>> session::open(const session_options& options) {
    result<connection_handle> opened = connect(options);
    if (!opened) {
        return opened.error();
    }
    return std::unique_ptr<session>{new session{*std::move(opened)}};
}

bool session::is_broken() const noexcept { return PQstatus(connection_.get()) != CONNECTION_OK; }

void session::run_script(const std::string& sql) {
    if (!failure()) {
        take_open_answer();
        say_begin();
        const result_set done = checked(PQexec(connection_.get(), sql.c_str()));
        static_cast<void>(done);  // what failed has latched
    }
}

void session::begin(transaction_kind kind) {
    forget_failure();
    is_worth_repeating_ = false;
    met_a_taken_key_ = false;
    kind_ = kind;
    unsaid_begin_ = begin_text(kind);
}

void session::say_begin() {
    if (!unsaid_begin_.empty()) {
        const std::string begin = std::exchange(unsaid_begin_, {});
        const result_set begun = checked(PQexec(connection_.get(), begin.c_str()));
        static_cast<void>(begun);  // what failed has latched
    }
}

/// Two statements in one round trip. The answer of the second, or of what failed before it.
pg_result* session::begin_and_run(
    const std::string& name, const std::vector<const char*>& values, const std::vector<int>& lengths
) {
    PGconn* const connection = connection_.get();
    const std::string begin = std::exchange(unsaid_begin_, {});
    const auto count = static_cast<int>(values.size());
    const bool
        is_sent = PQenterPipelineMode(connection) == 1 &&
                  PQsendQueryParams(
                      connection, begin.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0
                  ) == 1 &&
                  PQsendQueryPrepared(
                      connection, name.c_str(), count, values.data(), lengths.data(), nullptr, 0
                  ) == 1 &&
                  PQpipelineSync(connection) == 1;
    if (!is_sent) {
        connection_.reset();
        return nullptr;
    }
    result_set begun{PQgetResult(connection)};
    static_cast<void>(PQgetResult(connection));  // the end of what BEGIN answers
    result_set answer{PQgetResult(connection)};
    static_cast<void>(PQgetResult(connection));  // the end of what the statement answers
    const result_set synced{PQgetResult(connection)};
    const bool is_over = PQexitPipelineMode(connection) == 1;
    if (!is_over) {
        connection_.reset();
        return nullptr;
    }
    return error_in(begun.get()) ? begun.release() : answer.release();
}

void session::take_open_answer() noexcept {
    while (is_answer_open_) {
        const result_set answered{PQgetResult(connection_.get())};
        is_answer_open_ = answered != nullptr;
    }
}

result<> session::commit() {
    if (failure()) {
        const error_code why = failure();
        roll_back();
        return why;
    }
    if (!std::exchange(unsaid_begin_, {}).empty()) {
        return {};  // nothing was asked
    }
    take_open_answer();
    if (kind_ == transaction_kind::reading) {
        // Nothing hangs on its answer, which is taken before the session is used again.
        is_answer_open_ = PQsendQuery(connection_.get(), "COMMIT") == 1;
        return is_broken() ? result<>{errc::connection_lost} : result<>{};
    }
    run_script("COMMIT");
    if (!failure()) {
        return {};
    }
    return is_broken() ? error_code{errc::outcome_unknown} : failure();
}

void session::roll_back() noexcept {
    if (!std::exchange(unsaid_begin_, {}).empty()) {
        return;
    }
    take_open_answer();
    // The only failure of a rollback is that the transaction is gone already.
    const result_set done{PQexec(connection_.get(), "ROLLBACK")};
}

sql::prepared* session::prepare(std::string_view sql) {
    if (failure()) {
        return nullptr;
    }
    if (const auto known = statements_.find(sql); known != statements_.end()) {
        return known->second.get();
    }
    if (statements_.size() >= max_prepared) {
        std::erase_if(statements_, [](const auto& entry) { return !entry.second->is_busy(); });
        run_script("DEALLOCATE ALL");
    }
    std::string name = "s" + std::to_string(++prepared_);
    auto made = std::make_unique<statement>(*this, statement_text{sql}, std::move(name));
    return statements_.emplace(sql, std::move(made)).first->second.get();
}

result_set session::checked(pg_result* answer) {
    result_set kept{answer};
    const std::optional<server_error> error = error_in(answer);
    if (!error) {
        return kept;
    }
    is_worth_repeating_ = is_worth_repeating_ || postgres::is_worth_repeating(error->state);
    met_a_taken_key_ = met_a_taken_key_ || error->state == unique_violation;
    fail(error->code, error->text);
    return nullptr;
}

}  // namespace convene::postgres
