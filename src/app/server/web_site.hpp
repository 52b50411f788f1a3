// SPDX-License-Identifier: Apache-2.0
// The web app's files: read once at the start, served from memory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "app/failure.hpp"
#include "net/http_message.hpp"

namespace convene {

/// Serves the files of a build of `web/`, under a strict policy for what a page may load. A path that is no file
/// is one of the app's own pages: it gets `index.html`.
///
/// *Thread safety*: loop only.
class web_site {
   public:
    /// An empty folder: there is no app, and a page says so. *Errors*: a folder that can't be read or has no
    /// `index.html`.
    [[nodiscard]] static outcome<web_site> load(const std::filesystem::path& folder);

    [[nodiscard]] http_response answer(const http_request& request) const;

   private:
    struct file {
        std::string body;
        std::string type;
        std::string tag;  ///< for `etag`
    };

    web_site() = default;

    [[nodiscard]] http_response serve(const http_request& request, const file& wanted) const;

    std::unordered_map<std::string, file> files_;  ///< by path: `/assets/index-1234.js`
};

}  // namespace convene
