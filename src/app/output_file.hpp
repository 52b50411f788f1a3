// SPDX-License-Identifier: Apache-2.0
// A file that is there whole or not at all: written beside its name, then renamed.
#pragma once

#include <filesystem>
#include <memory>

#include "app/console.hpp"
#include "app/failure.hpp"

namespace convene {

/// *Lifetime*: dropping it without `finish` leaves no trace and an older file of the name as it was.
class output_file {
   public:
    [[nodiscard]] static outcome<std::unique_ptr<output_file>> create(
        const std::filesystem::path& file
    );

    ~output_file();
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;

    [[nodiscard]] output_stream& stream() noexcept { return stream_; }

    /// Puts what was written on disk and gives it its name.
    [[nodiscard]] outcome<> finish();

   private:
    output_file(int descriptor, std::filesystem::path file, std::filesystem::path partial);

    const int descriptor_;
    const std::filesystem::path file_;
    const std::filesystem::path partial_;
    output_stream stream_;
    bool is_finished_ = false;
};

}  // namespace convene
