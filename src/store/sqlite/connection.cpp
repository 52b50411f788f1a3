// SPDX-License-Identifier: Apache-2.0
// The thin part of the SQLite store that calls sqlite3: statements, values, and the latch.
#include "connection.hpp"

#include <sqlite3.h>

#include "base/assert.hpp"
#include "failure.hpp"

namespace convene::sqlite {

namespace {

// Far more texts than the operations have; only filters that are put together at run time could exceed it.
constexpr std::size_t max_cached_statements = 512;

// For the moments in which a tool of another process holds the database.
constexpr std::chrono::milliseconds busy_timeout{2000};

[[nodiscard]] int flags_of(open_mode mode) noexcept {
    switch (mode) {
        case open_mode::read_only:
            return SQLITE_OPEN_READONLY;
        case open_mode::read_write:
            return SQLITE_OPEN_READWRITE;
        case open_mode::create:
            return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    }
    return 0;
}

}  // namespace

void close_statement::operator()(sqlite3_stmt* statement) const noexcept {
    sqlite3_finalize(statement);
}

void close_database::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }

// -- statements --------------------------------------------------------------------------------------

class connection::statement final : public sql::prepared {
   public:
    statement(connection& database, sqlite3_stmt* compiled) noexcept
        : database_(database), compiled_(compiled) {}

    [[nodiscard]] bool is_busy() const noexcept { return sqlite3_stmt_busy(compiled_.get()) != 0; }

    [[nodiscard]] int parameter_count() const noexcept override {
        return sqlite3_bind_parameter_count(compiled_.get());
    }

    void bind_text(int position, sql::text_lifetime how, std::string_view value) override {
        // A view of nothing has no address, which SQLite would take for NULL.
        const char* const bytes = value.data() == nullptr ? "" : value.data();
        const auto lifetime = how == sql::text_lifetime::copies ? SQLITE_TRANSIENT : SQLITE_STATIC;
        expect_ok(sqlite3_bind_text64(
            compiled_.get(), position, bytes, value.size(), lifetime, SQLITE_UTF8
        ));
    }

    void bind_bytes(int position, sql::text_lifetime how, std::string_view value) override {
        const char* const bytes = value.data() == nullptr ? "" : value.data();
        const auto lifetime = how == sql::text_lifetime::copies ? SQLITE_TRANSIENT : SQLITE_STATIC;
        expect_ok(sqlite3_bind_blob64(compiled_.get(), position, bytes, value.size(), lifetime));
    }

    void bind_integer(int position, std::int64_t value) override {
        expect_ok(sqlite3_bind_int64(compiled_.get(), position, value));
    }

    void bind_real(int position, double value) override {
        expect_ok(sqlite3_bind_double(compiled_.get(), position, value));
    }

    void bind_null(int position, sql::value_kind) override {
        expect_ok(sqlite3_bind_null(compiled_.get(), position));
    }

    bool step() override {
        if (database_.failure()) {
            return false;
        }
        const int done = sqlite3_step(compiled_.get());
        if (done != SQLITE_ROW && done != SQLITE_DONE) {
            database_.latch(done);
        }
        return done == SQLITE_ROW;
    }

    void reset() noexcept override { sqlite3_reset(compiled_.get()); }

    [[nodiscard]] std::int64_t changes() const noexcept override {
        return sqlite3_changes64(database_.database_.get());
    }

    [[nodiscard]] std::int64_t integer(int column) const noexcept override {
        return sqlite3_column_int64(compiled_.get(), column);
    }

    [[nodiscard]] double real(int column) const noexcept override {
        return sqlite3_column_double(compiled_.get(), column);
    }

    [[nodiscard]] std::string_view text(int column) const noexcept override {
        const auto* bytes = reinterpret_cast<const char*>(
            sqlite3_column_text(compiled_.get(), column)
        );
        if (bytes == nullptr) {
            return {};
        }
        return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(compiled_.get(), column))};
    }

    [[nodiscard]] std::string bytes(int column) const override {
        // The bytes before their number: asking for the number first could convert them.
        const void* const bytes = sqlite3_column_blob(compiled_.get(), column);
        const auto count = static_cast<std::size_t>(sqlite3_column_bytes(compiled_.get(), column));
        return {static_cast<const char*>(bytes), bytes == nullptr ? 0 : count};
    }

    [[nodiscard]] bool is_null(int column) const noexcept override {
        return sqlite3_column_type(compiled_.get(), column) == SQLITE_NULL;
    }

   private:
    void expect_ok(int done) {
        if (done != SQLITE_OK) {
            database_.latch(done);
        }
    }

    connection& database_;
    std::unique_ptr<sqlite3_stmt, close_statement> compiled_;
};

// -- connection --------------------------------------------------------------------------------------

connection::connection(sqlite3* database) noexcept : database_(database) {}

connection::~connection() = default;

result<std::unique_ptr<connection>> connection::open(
    const std::filesystem::path& path, open_mode mode
) {
    sqlite3* raw = nullptr;
    // One thread at a time uses a connection: SQLite's own mutex would be paid for nothing.
    const int flags = flags_of(mode) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    const int opened = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
    std::unique_ptr<connection> made{new connection{raw}};
    if (opened != SQLITE_OK) {
        return code_of(opened, {});
    }
    sqlite3_extended_result_codes(raw, 1);
    // A damaged or hostile file must not run code of its own.
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_busy_timeout(raw, static_cast<int>(busy_timeout.count()));
    // Replaces the automatic checkpoint, which would run inside a commit while its callers wait.
    sqlite3_wal_hook(raw, &connection::count_wal_pages, made.get());
    return made;
}

void connection::run_script(const std::string& sql) {
    if (failure()) {
        return;
    }
    ++scripts_;
    const int done = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (done != SQLITE_OK) {
        latch(done);
    }
}

std::vector<std::string> connection::cached_texts() const {
    std::vector<std::string> texts;
    for (const auto& [text, prepared] : statements_) {
        texts.push_back(text);
    }
    return texts;
}

void connection::interrupt() noexcept { sqlite3_interrupt(database_.get()); }

int connection::count_wal_pages(void* self, sqlite3*, const char*, int pages) noexcept {
    static_cast<connection*>(self)->wal_pages_ = pages;
    return SQLITE_OK;
}

void connection::move_wal(wal_move how) noexcept {
    const int mode = how == wal_move::what_readers_allow ? SQLITE_CHECKPOINT_PASSIVE
                                                         : SQLITE_CHECKPOINT_RESTART;
    sqlite3_wal_checkpoint_v2(database_.get(), nullptr, mode, nullptr, nullptr);
}

bool connection::is_in_transaction() const noexcept {
    return sqlite3_get_autocommit(database_.get()) == 0;
}

std::int64_t connection::write_count() const noexcept {
    return sqlite3_total_changes64(database_.get()) + scripts_;
}

void connection::roll_back() noexcept {
    if (is_in_transaction()) {
        execute_quietly("ROLLBACK");
    }
}

void connection::roll_back_to_savepoint() noexcept {
    if (is_in_transaction()) {
        execute_quietly("ROLLBACK TO operation");
    }
}

void connection::execute_quietly(const char* sql) noexcept {
    // The only failure of a rollback is that the transaction is gone already.
    sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
}

sql::prepared* connection::prepare(std::string_view sql) {
    if (failure()) {
        return nullptr;
    }
    if (const auto known = statements_.find(sql); known != statements_.end()) {
        CONVENE_ASSERT(!known->second->is_busy(), "a statement is used inside itself");
        return known->second.get();
    }
    if (statements_.size() >= max_cached_statements) {
        std::erase_if(statements_, [](const auto& entry) { return !entry.second->is_busy(); });
    }
    sqlite3_stmt* compiled = nullptr;
    const int done = sqlite3_prepare_v3(
        database_.get(),
        sql.data(),
        static_cast<int>(sql.size()),
        SQLITE_PREPARE_PERSISTENT,
        &compiled,
        nullptr
    );
    if (done != SQLITE_OK) {
        latch(done);
        return nullptr;
    }
    auto made = std::make_unique<statement>(*this, compiled);
    return statements_.emplace(sql, std::move(made)).first->second.get();
}

void connection::latch(int extended_result) {
    const char* const text = sqlite3_errmsg(database_.get());
    fail(code_of(extended_result, text), text);
}

}  // namespace convene::sqlite
