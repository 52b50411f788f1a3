// SPDX-License-Identifier: Apache-2.0
// Lease names: the injective encoding, the database key and the form for people.
#include "convene/lease.hpp"

#include "base/hash.hpp"

namespace convene {

namespace {

// Keeps our keys apart from anything else that is hashed, and names the version of the encoding.
constexpr std::string_view domain = "convene-lease-1:";

/// Its length comes first, so that no content can look like the end of a field.
void append_field(std::string& bytes, std::string_view field) {
    bytes += std::to_string(field.size());
    bytes += ':';
    bytes += field;
    bytes += ',';
}

}  // namespace

std::string_view word_of(lease_kind kind) noexcept {
    switch (kind) {
        using enum lease_kind;
        case room:
            return "room";
        case delivery:
            return "delivery";
        case session:
            return "session";
        case leader:
            return "leader";
        case skill:
            return "skill";
        case schema:
            return "schema";
        case worker:
            return "worker";
    }
    return {};
}

std::optional<lease_kind> lease_kind_of(std::string_view word) noexcept {
    using enum lease_kind;
    for (const lease_kind kind : {room, delivery, session, leader, skill, schema, worker}) {
        if (word_of(kind) == word) {
            return kind;
        }
    }
    return std::nullopt;
}

lease_name::lease_name(lease_kind kind, organization_id organization, std::string id)
    : kind_(kind), organization_(std::move(organization)), id_(std::move(id)) {}

lease_name lease_name::room(const organization_id& organization, const room_id& room) {
    return lease_name{lease_kind::room, organization, room.str()};
}

lease_name lease_name::delivery(const organization_id& organization, const room_id& room) {
    return lease_name{lease_kind::delivery, organization, room.str()};
}

lease_name lease_name::leader(std::string duty) {
    return lease_name{lease_kind::leader, organization_id{}, std::move(duty)};
}

std::string lease_name::encoded() const {
    std::string bytes{domain};
    append_field(bytes, word_of(kind_));
    append_field(bytes, organization_.str());
    append_field(bytes, id_);
    return bytes;
}

std::int64_t lease_name::key() const { return stable_hash64(encoded()); }

std::string lease_name::display() const {
    if (kind_ == lease_kind::delivery) {
        return "__delivery__:" + id_;
    }
    std::string text{word_of(kind_)};
    text += ':';
    text += organization_.str();
    text += '/';
    text += id_;
    return text;
}

std::string lease_name::purpose() const {
    switch (kind_) {
        using enum lease_kind;
        case room:
            return "commits into the room";
        case delivery:
            return "delivers the room's events";
        case leader:
            return "is elected for the duty " + id_;
        case session:
            return "drives the session";
        case skill:
            return "pulls the skill";
        case schema:
            return "migrates the schema";
        case worker:
            return "tests whether locks can be had";
    }
    return {};
}

}  // namespace convene
