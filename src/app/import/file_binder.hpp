// SPDX-License-Identifier: Apache-2.0
// Binds imported rooms to the file of `--deliver-to`.
#pragma once

#include "convene/room_kit.hpp"

#include <filesystem>

#include "app/failure.hpp"

namespace convene {

/// *Thread safety*: loop only. *Lifetime*: the kit outlives it.
class file_binder {
   public:
    /// `file` is absolute.
    file_binder(room_kit& kit, organization_id organization, std::filesystem::path file)
        : kit_(kit), organization_(std::move(organization)), file_(std::move(file)) {}

    /// The room with the file, also if it had it before.
    [[nodiscard]] awaitable<outcome<room_context>> bind(room_context found);

   private:
    room_kit& kit_;
    const organization_id organization_;
    const std::filesystem::path file_;
};

}  // namespace convene
