// SPDX-License-Identifier: Apache-2.0
// A folder that is gone after the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace convene {

class temporary_folder {
   public:
    temporary_folder() {
        std::string name = (std::filesystem::temp_directory_path() / "convene-test-XXXXXX")
                               .native();
        if (::mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error{"no temporary folder: " + name};
        }
        path_ = name;
    }

    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    ~temporary_folder() {
        std::error_code ignored;  // a file that stays behind fails no test
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

   private:
    std::filesystem::path path_;
};

}  // namespace convene
