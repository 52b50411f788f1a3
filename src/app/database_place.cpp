// SPDX-License-Identifier: Apache-2.0
// Database place: taking a URL apart.
#include "app/database_place.hpp"

#include "base/config/database_url.hpp"

namespace convene {

namespace {

constexpr std::string_view sqlite_prefix = "sqlite:///";

}  // namespace

std::string database_place::shown() const {
    return is_on_server() ? redacted_database_url(address) : file.native();
}

outcome<database_place> place_of(std::string_view url) {
    database_place place;
    if (!url.starts_with(sqlite_prefix)) {
        place.address = url;
        return place;
    }
    const std::string_view path = url.substr(sqlite_prefix.size());
    if (path.starts_with(':') || path.find('?') != std::string_view::npos) {
        return failure{
            exit_code::usage,
            "DB_URL has to name a file, without parameters",
            "use sqlite:///FILE, or sqlite:////FOLDER/FILE for an absolute path"
        };
    }
    place.file = path;
    return place;
}

}  // namespace convene
