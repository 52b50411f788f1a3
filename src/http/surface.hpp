// SPDX-License-Identifier: Apache-2.0
// The HTTP surface as the program assembles it: our routes, those of others, and the router before them.
#pragma once

#include "convene/room_kit.hpp"

#include <string>

#include "base/secret_box.hpp"
#include "base/uuid.hpp"
#include "http/resource/resources.hpp"
#include "http/resource/system_routes.hpp"
#include "http/route_table.hpp"
#include "http/router.hpp"
#include "live/inbox_feed.hpp"

namespace convene {

/// What the surface is built from. It owns none of them; they outlive it.
struct http_surface_parts {
    room_kit* kit = nullptr;
    authenticator* who = nullptr;
    const wall_clock* clock = nullptr;  ///< unset: the system's
    random_source* random = nullptr;    ///< unset: the system's
    std::string version = "0";
    figures_writer more_figures{};    ///< of the server before it, for `/metrics`
    inbox_feed* inbox = nullptr;      ///< unset: nobody is told of changes beside commits
    const secret_box* box = nullptr;  ///< of the deployment; unset: there are no remote hooks
    attachment_limits attachments{};
};

/// *Thread safety*: loop only. *Lifetime*: outlives the answers it gave.
class http_surface {
   public:
    explicit http_surface(http_surface_parts parts, const rate_limits& rates = {});

    http_surface(const http_surface&) = delete;
    http_surface& operator=(const http_surface&) = delete;

    /// For routes of others (signing in, streams): added before the first request.
    [[nodiscard]] route_table& routes() noexcept { return routes_; }

    [[nodiscard]] router& front() noexcept { return router_; }

   private:
    id_generator ids_;
    inbox_feed unheard_;  ///< stands in for an inbox
    route_table routes_;
    router router_;
};

}  // namespace convene
