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

// -- query -------------------------------------------------------------------------------------------

query::~query() {
    if (running_ != nullptr) {
        sqlite3_reset(running_);
    }
}

bool query::next() {
    column_ = 0;
    return running_ != nullptr && database_->step(running_);
}

std::int64_t query::integer(int column) const noexcept {
    return sqlite3_column_int64(running_, column);
}

std::string_view query::text(int column) const noexcept {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(running_, column));
    if (bytes == nullptr) {
        return {};
    }
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(running_, column))};
}

std::string_view query::bytes(int column) const noexcept {
    // The bytes before their number: asking for the number first could convert them.
    const void* const bytes = sqlite3_column_blob(running_, column);
    const auto count = static_cast<std::size_t>(sqlite3_column_bytes(running_, column));
    return {static_cast<const char*>(bytes), bytes == nullptr ? 0 : count};
}

bool query::is_null(int column) const noexcept {
    return sqlite3_column_type(running_, column) == SQLITE_NULL;
}

void query::get(int column, double& into) const noexcept {
    into = sqlite3_column_double(running_, column);
}

// -- connection --------------------------------------------------------------------------------------

connection::connection(sqlite3* database) noexcept : database_(database) {}

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
    if (failure_) {
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

std::int64_t connection::last_id() const noexcept {
    return sqlite3_last_insert_rowid(database_.get());
}

void connection::forget_failure() noexcept {
    failure_.clear();
    failure_text_.clear();
}

void connection::fail(errc code, std::string_view text) {
    if (failure_) {
        return;
    }
    failure_ = code;
    failure_text_ = text;
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

sqlite3_stmt* connection::prepared_for(std::string_view sql) {
    if (failure_) {
        return nullptr;
    }
    if (const auto known = statements_.find(sql); known != statements_.end()) {
        CONVENE_ASSERT(
            sqlite3_stmt_busy(known->second.get()) == 0, "a statement is used inside itself"
        );
        return known->second.get();
    }
    if (statements_.size() >= max_cached_statements) {
        std::erase_if(statements_, [](const auto& entry) {
            return sqlite3_stmt_busy(entry.second.get()) == 0;
        });
    }
    sqlite3_stmt* prepared = nullptr;
    const int done = sqlite3_prepare_v3(
        database_.get(),
        sql.data(),
        static_cast<int>(sql.size()),
        SQLITE_PREPARE_PERSISTENT,
        &prepared,
        nullptr
    );
    if (done != SQLITE_OK) {
        latch(done);
        return nullptr;
    }
    statements_.emplace(sql, statement{prepared});
    return prepared;
}

int connection::parameter_count(sqlite3_stmt* prepared) noexcept {
    return prepared == nullptr ? 0 : sqlite3_bind_parameter_count(prepared);
}

std::int64_t connection::finish(sqlite3_stmt* prepared) {
    if (prepared == nullptr) {
        return 0;
    }
    while (step(prepared)) {
    }
    sqlite3_reset(prepared);
    return failure_ ? 0 : sqlite3_changes64(database_.get());
}

bool connection::step(sqlite3_stmt* prepared) {
    if (failure_) {
        return false;
    }
    const int done = sqlite3_step(prepared);
    if (done != SQLITE_ROW && done != SQLITE_DONE) {
        latch(done);
    }
    return done == SQLITE_ROW;
}

void connection::latch(int extended_result) {
    const char* const text = sqlite3_errmsg(database_.get());
    fail(code_of(extended_result, text), text);
}

void connection::bind_text(
    sqlite3_stmt* prepared, int position, binding how, std::string_view value
) {
    // A view of nothing has no address, which SQLite would take for NULL.
    const char* const bytes = value.data() == nullptr ? "" : value.data();
    const auto lifetime = how == copies ? SQLITE_TRANSIENT : SQLITE_STATIC;
    const int done = sqlite3_bind_text64(
        prepared, position, bytes, value.size(), lifetime, SQLITE_UTF8
    );
    if (done != SQLITE_OK) {
        latch(done);
    }
}

void connection::bind_bytes(
    sqlite3_stmt* prepared, int position, binding how, std::string_view value
) {
    const char* const bytes = value.data() == nullptr ? "" : value.data();
    const auto lifetime = how == copies ? SQLITE_TRANSIENT : SQLITE_STATIC;
    const int done = sqlite3_bind_blob64(prepared, position, bytes, value.size(), lifetime);
    if (done != SQLITE_OK) {
        latch(done);
    }
}

void connection::bind_integer(sqlite3_stmt* prepared, int position, std::int64_t value) {
    if (const int done = sqlite3_bind_int64(prepared, position, value); done != SQLITE_OK) {
        latch(done);
    }
}

void connection::bind_real(sqlite3_stmt* prepared, int position, double value) {
    if (const int done = sqlite3_bind_double(prepared, position, value); done != SQLITE_OK) {
        latch(done);
    }
}

void connection::bind_null(sqlite3_stmt* prepared, int position) {
    if (const int done = sqlite3_bind_null(prepared, position); done != SQLITE_OK) {
        latch(done);
    }
}

}  // namespace convene::sqlite
