// SPDX-License-Identifier: Apache-2.0
// Reading and writing a database here, as its one writing process.
#pragma once

#include "convene/sqlite_store.hpp"

#include <memory>

#include "app/conversations.hpp"
#include "app/local/kit_writer.hpp"
#include "app/local/stored_reader.hpp"
#include "app/local_worker.hpp"

namespace convene {

class local_access final : public conversation_access {
   public:
    /// *Errors*: as of `local_worker::open`.
    [[nodiscard]] static outcome<std::unique_ptr<local_access>> open(
        loop& where, const command_context& with, sqlite_creation creation
    );

    [[nodiscard]] room_kit& kit() noexcept { return worker_->kit(); }

    [[nodiscard]] conversation_reader& reader() noexcept override { return reader_; }

    [[nodiscard]] conversation_writer& writer() noexcept override { return writer_; }

    [[nodiscard]] awaitable<outcome<>> start() override;
    [[nodiscard]] awaitable<outcome<std::int64_t>> settle() override;

    [[nodiscard]] awaitable<void> stop() override { return worker_->stop(); }

   private:
    local_access(const command_context& with, std::unique_ptr<local_worker> worker);

    // fixed after construction; each uses what stands above it
    const std::unique_ptr<local_worker> worker_;
    stored_reader reader_;
    kit_writer writer_;
};

}  // namespace convene
