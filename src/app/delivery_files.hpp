// SPDX-License-Identifier: Apache-2.0
// The channel `file`: delivers to the file that a room's binding names.
#pragma once

#include "convene/channels/file_channel.hpp"

#include <map>
#include <memory>
#include <string>

namespace convene {

/// One channel for all files, so that every command that writes can finish what another one left behind: the
/// path is in the binding's address, not in the process that made it.
///
/// *Thread safety*: loop only. *Lifetime*: the pool outlives it.
class delivery_files final : public transport_channel {
   public:
    explicit delivery_files(blocking_pool& pool) : pool_(pool) {}

    [[nodiscard]] static channel_id id_of_all() { return channel_id{"file"}; }

    [[nodiscard]] channel_id id() const override { return id_of_all(); }

    [[nodiscard]] std::string type() const override { return "file"; }

    /// Fails for now with `file_unavailable` when the file can't be opened, else as `file_channel`.
    [[nodiscard]] awaitable<send_result> deliver(delivery_request request) override;

   private:
    [[nodiscard]] awaitable<result<std::shared_ptr<file_channel>>> find_or_open(std::string path);

    blocking_pool& pool_;
    std::map<std::string, std::shared_ptr<file_channel>> open_;
};

}  // namespace convene
