// SPDX-License-Identifier: Apache-2.0
// Opens and closes the SQLite store and sends operations to the writer or the readers.
#include "store/sqlite/sqlite_store.hpp"

#include "convene/sqlite_store.hpp"

#include <utility>
#include <vector>

#include "store/sqlite/opening.hpp"

namespace convene {

namespace sqlite {

awaitable<result<>> sqlite_store::execute(std::shared_ptr<operation> request) {
    if (request->is_read_only()) {
        const result<> read = co_await parts_.readers->read(std::move(request));
        co_return read;
    }
    if (!parts_.writer) {
        co_return errc::unavailable;
    }
    const result<> written = co_await parts_.writer->write(std::move(request));
    co_return written;
}

awaitable<void> sqlite_store::close() {
    // The writer's connection closes last and alone: it moves the log into the database.
    co_await parts_.readers->close();
    if (parts_.writer) {
        co_await parts_.writer->close();
    }
    parts_.guard.reset();
}

namespace {

result<std::unique_ptr<reader_pool>> open_readers(
    const sqlite_options& options, const wall_clock& clock
) {
    std::vector<std::unique_ptr<connection>> databases;
    for (std::size_t i = 0; i < options.reader_threads; ++i) {
        result<std::unique_ptr<connection>> opened = open_for_reading(options.path);
        if (!opened) {
            return opened.error();
        }
        databases.push_back(*std::move(opened));
    }
    return std::make_unique<reader_pool>(std::move(databases), clock);
}

}  // namespace

}  // namespace sqlite

result<std::unique_ptr<conversation_store>> open_sqlite_store(
    executor& where,
    const wall_clock& clock,
    const sqlite_options& options,
    const incarnation_id& self
) {
    if (options.reader_threads == 0 || options.write_queue_capacity == 0) {
        return errc::invalid_argument;
    }
    sqlite::store_parts parts;
    std::unique_ptr<sqlite::connection> writing;
    if (options.access == sqlite_access::read_write) {
        result<sqlite::file_guard> guard = sqlite::file_guard::take(options.path);
        if (!guard) {
            return guard.error();
        }
        parts.guard.emplace(*std::move(guard));
        result<std::unique_ptr<sqlite::connection>> opened = sqlite::open_for_writing(
            options, clock, self
        );
        if (!opened) {
            return opened.error();
        }
        writing = *std::move(opened);
    }
    result<std::unique_ptr<sqlite::reader_pool>> readers = sqlite::open_readers(options, clock);
    if (!readers) {
        return readers.error();
    }
    parts.readers = *std::move(readers);
    // Last, since a writer has to be closed before it is destroyed.
    if (writing) {
        sqlite::group_limits limits;
        limits.waiting = options.write_queue_capacity;
        parts.writer = std::make_unique<sqlite::group_writer>(
            where, std::move(writing), clock, limits
        );
    }
    return std::unique_ptr<conversation_store>{
        std::make_unique<sqlite::sqlite_store>(std::move(parts))
    };
}

}  // namespace convene
