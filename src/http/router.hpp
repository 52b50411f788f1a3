// SPDX-License-Identifier: Apache-2.0
// The router: from a request to its handler, and every check that comes before.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/random.hpp"
#include "convene/room_kit.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/uuid.hpp"
#include "http/principal.hpp"
#include "http/rate_gate.hpp"
#include "http/request_metrics.hpp"
#include "http/route_table.hpp"
#include "net/http_message.hpp"

namespace convene {

/// What a router is built from. It owns none of them; they outlive it.
struct router_parts {
    const route_table* routes = nullptr;
    room_kit* kit = nullptr;
    authenticator* who = nullptr;
    const wall_clock* clock = nullptr;  ///< unset: the system's
    random_source* random = nullptr;    ///< unset: the system's
};

/// Answers requests. In this order: the path and the method; draining; who is asking; the proof of a session
/// (CSRF); the rate; the role; parameters and body; the room. Whatever is wrong is told as a problem.
///
/// Each request has an id (`X-Request-Id`, taken over where it is harmless) and one line in the log.
///
/// *Thread safety*: loop only. *Lifetime*: outlives the answers it gave.
class router {
   public:
    router(router_parts parts, const rate_limits& rates = {});

    [[nodiscard]] awaitable<http_answer> answer(http_request request);

    /// For the server. *Lifetime*: not beyond the router's.
    [[nodiscard]] http_handler handler();

    /// Whether a request takes bytes: its body may be large.
    [[nodiscard]] bool takes_bytes(http_method method, std::string_view path) const;

    /// Why whoever sends this head may not send its body; nothing if it may.
    [[nodiscard]] awaitable<std::optional<http_response>> refuse_body(http_request head);

    /// From now on `readyz` says no, and nothing that changes something is started.
    void start_draining() noexcept { is_draining_ = true; }

    [[nodiscard]] bool is_draining() const noexcept { return is_draining_; }

    [[nodiscard]] const request_metrics& metrics() const noexcept { return metrics_; }

   private:
    [[nodiscard]] awaitable<handled> dispatch(std::shared_ptr<route_call> call);
    [[nodiscard]] awaitable<or_problem<>> admit(std::shared_ptr<route_call> call);
    [[nodiscard]] awaitable<or_problem<>> enter_room(std::shared_ptr<route_call> call);
    [[nodiscard]] or_problem<> find_route(route_call* call) const;
    [[nodiscard]] or_problem<> check_rate(const std::string& caller, monotonic_time now);
    [[nodiscard]] or_problem<> check_rate(const principal& who, monotonic_time now);
    [[nodiscard]] std::string request_id_for(const http_request& request);

    const route_table& routes_;
    room_kit& kit_;
    authenticator& authenticator_;

    id_generator ids_;
    rate_gate user_rates_;
    rate_gate token_rates_;
    request_metrics metrics_;
    bool is_draining_ = false;
};

}  // namespace convene
