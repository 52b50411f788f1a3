// SPDX-License-Identifier: Apache-2.0
// Where a database is: a file of this machine, or a PostgreSQL server that processes share.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/failure.hpp"

namespace convene {

struct database_place {
    std::filesystem::path file;  ///< of SQLite; empty: a server's
    std::string address;         ///< of PostgreSQL, as it was given; empty: a file's

    [[nodiscard]] bool is_on_server() const noexcept { return !address.empty(); }

    /// For people: without the password.
    [[nodiscard]] std::string shown() const;
};

/// `sqlite:///relative.db`, `sqlite:////absolute.db`, `postgresql://[user[:password]@]host[:port]/database`.
[[nodiscard]] outcome<database_place> place_of(std::string_view url);

}  // namespace convene
