// SPDX-License-Identifier: Apache-2.0
// One route: what it takes, what it answers, who may call it, and the call a handler sees.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/room.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/principal.hpp"
#include "http/problem.hpp"
#include "http/schema.hpp"
#include "net/http_message.hpp"

namespace convene {

/// Who may call a route. Whoever may not see a room is told that there is none.
enum class permission : std::uint8_t {
    anyone,        ///< also without signing in
    signed_in,     ///< any user or token
    room_member,   ///< who may see the room `{room_id}` of the path
    room_manager,  ///< an owner of that room, an operator, a token
    operator_,
    admin,
};

enum class parameter_place : std::uint8_t { query, header };

/// A parameter besides those of the path, which are ids.
struct parameter {
    std::string name;  ///< of a header: in lower case
    parameter_place in = parameter_place::query;
    schema type;
    std::string description;
    std::string fallback;  ///< shown as the default, and what the handler sees; empty: none
    presence need = presence::optional;
};

[[nodiscard]] parameter query_parameter(
    std::string name, schema type, std::string description, std::string fallback = {}
);

[[nodiscard]] parameter header_parameter(std::string name, schema type, std::string description);
/// Of an answer of bytes.
inline const std::string any_media_type = "*/*";

struct described_answer {
    int status = 200;
    std::string description;
    std::optional<schema> body;
    std::string media_type = "application/json";
};

struct route;

/// A request that was read: parameters and body are valid by the route's schemas, and who asks may call it.
struct route_call {
    http_request request;  ///< its body was taken out where the route has a schema for it
    const route* matched = nullptr;
    principal who;
    std::optional<room_context> room;  ///< of routes with `{room_id}` in the path
    std::vector<std::pair<std::string, std::string>> path;        ///< decoded
    std::vector<std::pair<std::string, std::string>> parameters;  ///< query and headers, decoded
    std::optional<read_object> body;
    std::string request_id;
    std::string trace_parent;
    std::string idempotency_key;  ///< the header; empty: none

    /// A parameter of the path. *Requires*: the pattern has it.
    [[nodiscard]] const std::string& at(std::string_view name) const;

    /// A query parameter or header; its fallback where it was not sent; nothing without one.
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
    [[nodiscard]] bool flag(std::string_view name) const;  ///< false where it was not sent
};

using handled = or_problem<http_answer>;

/// *Lifetime*: what it refers to outlives the router. Called on the loop.
using route_handler = std::function<awaitable<handled>(route_call call)>;

/// Whether a route counts against the rate of its caller.
enum class rate_rule : std::uint8_t { counted, free };

/// Who reads the body: the router by the route's schema, or the handler, because its bytes are signed.
enum class body_rule : std::uint8_t { parsed, raw };

/// What `Idempotency-Key` does: the others are the same when they are repeated, or can't tell.
enum class key_rule : std::uint8_t { ignored, honoured };

/// Where the room of a route with `{room_id}` is read. As this worker knows it, it may be out of date: for what is compared
/// at a commit.
enum class room_reading : std::uint8_t { as_stored, as_known };

/// What a body is. Bytes are left in the request as they came, whatever their type, and may be many.
enum class body_kind : std::uint8_t { json, bytes };

struct route {
    http_method method = http_method::get;
    std::string pattern;    ///< `/api/v1/rooms/{room_id}`
    std::string operation;  ///< operationId, unique: `get_room`
    std::string summary;
    std::string tag;
    permission who = permission::signed_in;
    std::vector<parameter> parameters;
    std::optional<schema> body;
    std::vector<described_answer> answers;  ///< those that are not problems
    route_handler handle;
    presence body_presence = presence::required;
    rate_rule rate = rate_rule::counted;
    key_rule key = key_rule::ignored;
    body_rule reading = body_rule::parsed;
    body_kind takes = body_kind::json;
    room_reading room = room_reading::as_stored;
};

/// A JSON answer.
[[nodiscard]] http_response json_answer(int status, const json_text& body);

/// 204.
[[nodiscard]] http_response no_content();

}  // namespace convene
