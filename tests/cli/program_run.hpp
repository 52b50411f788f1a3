// SPDX-License-Identifier: Apache-2.0
// Runs the program as a user would: arguments, standard input, and what came of it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

struct program_end {
    int code = -1;  ///< -1: it did not end by itself
    std::string out;
    std::string err;
};

/// A folder of its own for each object, where the program runs and its database is `test.db`.
class program_folder {
   public:
    program_folder();
    ~program_folder();
    program_folder(const program_folder&) = delete;
    program_folder& operator=(const program_folder&) = delete;

    [[nodiscard]] program_end run(
        std::vector<std::string> arguments, std::string_view standard_input = {}
    ) const;

   private:
    std::filesystem::path path_;
};

}  // namespace convene
