// SPDX-License-Identifier: Apache-2.0
// A channel that appends each delivery to a file, one JSON line each, on disk before it counts as
// delivered.
#pragma once

#include "convene/channel.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace convene {

class blocking_pool;

struct file_channel_settings {
    /// Lines that arrive while others are being written share a sync of the disk, up to this many;
    /// 1: none do.
    std::size_t most_lines_per_sync = 512;
};

/// Appends text to a file. `docs/formats/delivery-file.md` is the format of its lines.
///
/// A line is delivered once it was synced. After a crash, or a sync whose outcome is unknown, a
/// delivery is written again with the same id: readers drop repeats by it. Any number of processes
/// may append to one file; none of them follows a file that was renamed. *Thread safety*: as of a
/// channel; the file is written on the pool. *Lifetime*: the pool outlives it.
class file_channel final : public transport_channel {
   public:
    /// Opens the file, or makes it; the folder must exist. Blocks: meant for the start of a
    /// program. *Errors*: `io_failed` (the log names file and reason).
    [[nodiscard]] static result<std::shared_ptr<file_channel>> open(
        channel_id id,
        const std::filesystem::path& file,
        blocking_pool& pool,
        file_channel_settings with = {}
    );

    ~file_channel() override;
    file_channel(const file_channel&) = delete;
    file_channel& operator=(const file_channel&) = delete;

    [[nodiscard]] channel_id id() const override;

    [[nodiscard]] std::string type() const override { return "file"; }

    /// Fails for now with `overloaded` (too much waits for the disk) or `write_failed`.
    /// *Cancellation*: the line may be written all the same.
    [[nodiscard]] awaitable<send_result> deliver(delivery_request request) override;

   private:
    class implementation;

    explicit file_channel(std::unique_ptr<implementation> impl);

    std::unique_ptr<implementation> impl_;
};

}  // namespace convene
