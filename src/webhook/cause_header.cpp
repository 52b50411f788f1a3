// SPDX-License-Identifier: Apache-2.0
// `v1.`, JSON in base64url, a full stop, the HMAC-SHA256 of all before it.
#include "webhook/cause_header.hpp"

#include <boost/json/array.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/base64.hpp"
#include "base/hmac.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

constexpr std::string_view field = "Convene-Cause";
constexpr std::string_view purpose = "convene cause 1";
constexpr std::string_view version_prefix = "v1.";
constexpr std::size_t max_header_bytes = 8192;
constexpr std::size_t max_rooms = 64;

boundary_error refused(boundary_reason reason) { return {std::string{field}, reason}; }

std::string code_of(std::string_view text, const secret_box& box) {
    return to_base64(hmac_sha256(box.key_for(purpose), text), base64_form::url);
}

json_text payload_of(const event_cause& cause, wall_time now) {
    json_writer out;
    out.begin_object();
    out.key("at").integer(std::chrono::floor<seconds>(now.time_since_epoch()).count());
    out.key("call").string(cause.call);
    out.key("organization").string(cause.organization.str());
    out.key("event").string(cause.event.str());
    out.key("cascade").string(cause.cascade.str());
    out.key("depth").integer(cause.depth);
    out.key("budget").integer(cause.budget);
    out.key("rooms").begin_array();
    for (const room_id& room : cause.rooms) {
        out.string(room.str());
    }
    out.end_array();
    out.end_object();
    return out.take();
}

struct signed_cause {
    event_cause cause;
    seconds at{};
};

std::int32_t small_integer(const object_reader& from, std::string_view name) {
    const auto value = from.optional_integer(name, {0, std::numeric_limits<std::int32_t>::max()});
    return value && *value ? static_cast<std::int32_t>(**value) : 0;
}

std::string text_of(const object_reader& from, std::string_view name) {
    const auto value = from.optional_text(name);
    return value && *value ? std::string{**value} : std::string{};
}

/// Its signature was right: it has the form that we gave it.
std::optional<signed_cause> read_payload(std::string_view json) {
    const auto document = json_document::parse(json, field);
    if (!document) {
        return std::nullopt;
    }
    const auto from = document->object();
    if (!from) {
        return std::nullopt;
    }
    signed_cause read;
    const auto at = from->optional_integer("at", {0, std::numeric_limits<std::int64_t>::max()});
    read.at = seconds{at && *at ? **at : 0};
    read.cause.call = text_of(*from, "call");
    read.cause.organization = organization_id{text_of(*from, "organization")};
    read.cause.event = event_id{text_of(*from, "event")};
    read.cause.cascade = cascade_id{text_of(*from, "cascade")};
    read.cause.depth = small_integer(*from, "depth");
    read.cause.budget = small_integer(*from, "budget");
    const boost::json::value* const rooms = document->root().as_object().if_contains("rooms");
    if (rooms != nullptr && rooms->is_array()) {
        for (const boost::json::value& room : rooms->as_array()) {
            if (room.is_string() && read.cause.rooms.size() < max_rooms) {
                read.cause.rooms.emplace_back(std::string{room.as_string()});
            }
        }
    }
    return read;
}

}  // namespace

std::string encode_cause(const event_cause& cause, const secret_box& box, wall_time now) {
    const json_text payload = payload_of(cause, now);
    const std::span bytes{
        reinterpret_cast<const std::uint8_t*>(payload.str().data()), payload.str().size()
    };
    std::string text{version_prefix};
    text += to_base64(bytes, base64_form::url);
    const std::string code = code_of(text, box);
    return text + '.' + code;
}

checked<event_cause> decode_cause(std::string_view text, const secret_box& box, wall_time now) {
    const std::size_t end = text.rfind('.');
    if (text.size() > max_header_bytes || !text.starts_with(version_prefix) ||
        end < version_prefix.size()) {
        return refused(boundary_reason::malformed);
    }
    const std::string_view covered = text.substr(0, end);
    if (!is_equal_secret(text.substr(end + 1), code_of(covered, box))) {
        return refused(boundary_reason::malformed);
    }
    const std::optional<std::vector<std::uint8_t>> bytes = from_base64(
        covered.substr(version_prefix.size()), base64_form::url
    );
    const std::string json = bytes ? std::string{bytes->begin(), bytes->end()} : std::string{};
    std::optional<signed_cause> read = read_payload(json);
    if (!read) {
        return refused(boundary_reason::malformed);
    }
    if (now.time_since_epoch() > read->at + cause_window) {
        return refused(boundary_reason::out_of_range);
    }
    return std::move(read->cause);
}

}  // namespace convene
