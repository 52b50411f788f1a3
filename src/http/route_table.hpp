// SPDX-License-Identifier: Apache-2.0
// The routes of the server, found by method and path.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "http/route.hpp"

namespace convene {

/// A tree of path segments. A literal segment wins over a parameter.
///
/// *Thread safety*: filled before it is used; looking up changes nothing. Routes keep their addresses.
class route_table {
   public:
    route_table();
    ~route_table();
    route_table(const route_table&) = delete;
    route_table& operator=(const route_table&) = delete;

    /// *Requires*: its pattern and method, and its operation, are new.
    void add(route added);

    struct match {
        const route* found = nullptr;  ///< null: the path is unknown, or has no such method
        std::vector<std::pair<std::string, std::string>> path;  ///< the parameters, still encoded
        std::vector<http_method> methods;                       ///< those the path has
    };

    /// *Complexity*: one hash look-up a segment.
    [[nodiscard]] match find(http_method method, std::string_view path) const;

    /// In the order in which they were added.
    [[nodiscard]] const std::vector<std::unique_ptr<route>>& all() const noexcept {
        return routes_;
    }

   private:
    struct node;

    std::vector<std::unique_ptr<route>> routes_;
    std::unique_ptr<node> root_;
};

/// `GET, HEAD, OPTIONS, POST`: what `Allow` says.
[[nodiscard]] std::string allowed_methods(std::vector<http_method> methods);

}  // namespace convene
