// SPDX-License-Identifier: Apache-2.0
// One SQLite connection: a session with cached statements, its transactions and its write-ahead log.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/sql/session.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace convene::sqlite {

using sql::query;

struct close_statement {
    void operator()(sqlite3_stmt* statement) const noexcept;
};

struct close_database {
    void operator()(sqlite3* database) const noexcept;
};

enum class open_mode { read_only, read_write, create };

enum class wal_move {
    what_readers_allow,  ///< never waits; the log may go on growing while readers overlap
    wait_for_readers,    ///< waits, bounded, until the log can start afresh
};

/// *Thread safety*: none; one thread at a time.
class connection final : public sql::session {
   public:
    /// *Errors*: `io_failed` (can't be opened). That a file is no database shows at the first statement.
    [[nodiscard]] static result<std::unique_ptr<connection>> open(
        const std::filesystem::path& path, open_mode mode
    );

    ~connection();

    /// The texts of the statements in the cache: what the operations so far are made of.
    [[nodiscard]] std::vector<std::string> cached_texts() const;

    /// Runs statements without arguments that are not worth caching: pragmas, schema changes.
    void run_script(const std::string& sql);

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

   protected:
    [[nodiscard]] sql::prepared* prepare(std::string_view sql) override;

   private:
    class statement;

    explicit connection(sqlite3* database) noexcept;

    static int count_wal_pages(
        void* self, sqlite3* database, const char* schema, int pages
    ) noexcept;

    void execute_quietly(const char* sql) noexcept;
    void latch(int extended_result);

    struct text_hash : std::hash<std::string_view> {
        using is_transparent = void;
    };

    std::unique_ptr<sqlite3, close_database> database_;
    std::unordered_map<std::string, std::unique_ptr<statement>, text_hash, std::equal_to<>>
        statements_;
    std::int64_t wal_pages_ = 0;
    std::int64_t scripts_ = 0;  ///< schema changes, which SQLite does not count as changes
};

}  // namespace convene::sqlite
