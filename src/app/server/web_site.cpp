// SPDX-License-Identifier: Apache-2.0
// Web site: types, caching, and the headers that keep a page to itself.
#include "app/server/web_site.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/hash.hpp"

namespace convene {

namespace {

constexpr std::string_view index_page = "/index.html";

/// Names below it hold a hash of what is in the file: a browser may keep them for ever.
constexpr std::string_view hashed_files = "/assets/";

/// Scripts and styles are ours alone. The one hash is the constant style of the component library's press rule; a
/// test in a browser fails when an upgrade changes it.
constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self' "
    "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='; img-src 'self' data: blob:; font-src "
    "'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

constexpr std::string_view no_app =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Convene</title>"
    "<p>The server runs. The web app is not built: <code>./dev web</code> builds it.</p></html>";

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> types{{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".txt", "text/plain; charset=utf-8"},
    {".woff2", "font/woff2"},
}};

std::string type_of(const std::filesystem::path& name) {
    const std::string extension = name.extension().string();
    const auto known = std::ranges::find(types, extension, [](const auto& one) {
        return one.first;
    });
    return std::string{known == types.end() ? "application/octet-stream" : known->second};
}

std::string read_whole(const std::filesystem::path& name) {
    std::ifstream in{name, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

void add_protection(http_headers& headers) {
    headers.set("content-security-policy", std::string{content_policy});
    headers.set("referrer-policy", "no-referrer");
    headers.set("x-content-type-options", "nosniff");
}

}  // namespace

outcome<web_site> web_site::load(const std::filesystem::path& folder) {
    web_site site;
    if (folder.empty()) {
        return site;
    }
    std::error_code error;
    std::filesystem::recursive_directory_iterator names{folder, error};
    if (error) {
        return failure{
            exit_code::usage,
            "the web app's folder can't be read: " + error.message(),
            "name a build of web/ by --web-dir"
        };
    }
    for (const auto& name : names) {
        if (!name.is_regular_file()) {
            continue;
        }
        std::string body = read_whole(name.path());
        std::string tag = '"' + to_hex(sha256(body)).substr(0, 32) + '"';
        const std::string path = '/' + name.path().lexically_relative(folder).generic_string();
        site.files_.emplace(path, file{std::move(body), type_of(name.path()), std::move(tag)});
    }
    if (!site.files_.contains(std::string{index_page})) {
        return failure{
            exit_code::usage,
            "the web app's folder has no index.html",
            "name a build of web/ by --web-dir"
        };
    }
    return site;
}

http_response web_site::answer(const http_request& request) const {
    http_response refused;
    add_protection(refused.headers);
    if (request.method != http_method::get && request.method != http_method::head) {
        refused.status = 405;
        refused.headers.set("allow", "GET, HEAD");
        return refused;
    }
    if (const auto wanted = files_.find(request.path); wanted != files_.end()) {
        return serve(request, wanted->second);
    }
    if (request.path.starts_with(hashed_files)) {
        // A page of an older build asks for what is gone: a page instead of a script would only confuse it.
        refused.status = 404;
        return refused;
    }
    if (const auto index = files_.find(std::string{index_page}); index != files_.end()) {
        return serve(request, index->second);
    }
    refused.headers.set("content-type", "text/html; charset=utf-8");
    refused.body = no_app;
    return refused;
}

http_response web_site::serve(const http_request& request, const file& wanted) const {
    http_response answer;
    add_protection(answer.headers);
    const bool is_hashed = request.path.starts_with(hashed_files);
    answer.headers.set(
        "cache-control", is_hashed ? "public, max-age=31536000, immutable" : "no-cache"
    );
    answer.headers.set("etag", wanted.tag);
    if (request.headers.find("if-none-match") == wanted.tag) {
        answer.status = 304;
        return answer;
    }
    answer.headers.set("content-type", wanted.type);
    answer.body = wanted.body;
    return answer;
}

}  // namespace convene
