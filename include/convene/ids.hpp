// SPDX-License-Identifier: Apache-2.0
// Strong identifiers: one class each, explicit, hashable, printable; mixing two kinds does not compile.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace convene {

/// An opaque text id. Ids made by the server are UUIDv7; ids from outside passed the text boundary.
/// An empty id means "none".
template <class Tag>
class text_id {
   public:
    text_id() = default;

    explicit text_id(std::string value) : value_(std::move(value)) {}

    [[nodiscard]] const std::string& str() const noexcept { return value_; }

    [[nodiscard]] bool empty() const noexcept { return value_.empty(); }

    friend auto operator<=>(const text_id&, const text_id&) = default;

   private:
    std::string value_;
};

using organization_id = text_id<struct organization_tag>;
using room_id = text_id<struct room_tag>;
using event_id = text_id<struct event_tag>;
using channel_id = text_id<struct channel_tag>;
using participant_id = text_id<struct participant_tag>;
using identity_id = text_id<struct identity_tag>;
using delivery_id = text_id<struct delivery_tag>;  ///< uuid5(event, target): stable across retries
using hook_id = text_id<struct hook_tag>;
using task_id = text_id<struct task_tag>;
using observation_id = text_id<struct observation_tag>;
using incarnation_id = text_id<struct incarnation_tag>;  ///< one start of a worker
using cascade_id = text_id<struct cascade_tag>;  ///< the root event of all that one event caused

/// The position of an event in its room: 0, 1, 2, ... Dense and never reused.
/// `none()` is -1: "before the first event", the value a delivery cursor starts with.
class event_index {
   public:
    constexpr event_index() = default;

    constexpr explicit event_index(std::int64_t value) : value_(value) {}

    [[nodiscard]] static constexpr event_index none() { return event_index{-1}; }

    [[nodiscard]] constexpr std::int64_t value() const noexcept { return value_; }

    [[nodiscard]] constexpr event_index next() const noexcept { return event_index{value_ + 1}; }

    [[nodiscard]] constexpr event_index previous() const noexcept {
        return event_index{value_ - 1};
    }

    friend constexpr auto operator<=>(event_index, event_index) = default;

   private:
    std::int64_t value_ = -1;
};

/// Raised by every change of a room's status, bindings, participants, hooks or policies; never by a commit.
using config_version = std::int64_t;

}  // namespace convene

template <class Tag>
struct std::hash<convene::text_id<Tag>> {
    std::size_t operator()(const convene::text_id<Tag>& id) const noexcept {
        return std::hash<std::string>{}(id.str());
    }
};

template <>
struct std::hash<convene::event_index> {
    std::size_t operator()(convene::event_index index) const noexcept {
        return std::hash<std::int64_t>{}(index.value());
    }
};
