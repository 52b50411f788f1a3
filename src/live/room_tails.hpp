// SPDX-License-Identifier: Apache-2.0
// Live tails of rooms (R18): ordered, without gaps, resumable, and bounded whatever a reader does.
#pragma once

#include "convene/room_kit.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "live/tail_position.hpp"

namespace convene {

class conversation_store;

/// An event that readers share. `rendered` is for the surface: what it looks like on the wire, made once for all
/// readers of an event that came live.
struct tail_event {
    room_event event;
    mutable std::string rendered{};
};

/// An index that was deleted for good before the reader came by.
struct tail_hole {
    event_index index;
};

/// An event that was deleted for good while the reader watched.
struct tail_erased {
    event_id event;
};

/// The position can't be served: what is shown is to be loaded again from `from` on.
struct tail_resync {
    event_index from;
    std::string reason;  ///< `timeline_repaired`, `position_unknown`
};

/// Nothing follows.
struct tail_end {
    std::string reason;  ///< `access_removed`, `room_deleted`, `draining`
};

using tail_item = std::
    variant<std::shared_ptr<const tail_event>, tail_hole, tail_erased, tail_resync, tail_end>;

/// What came next, and where the reader stands after it. Empty: nothing came in time.
struct tail_page {
    std::vector<tail_item> items;
    tail_position after;
};

struct room_tails_settings {
    std::size_t
        recent_events = 256;  ///< kept of each watched room; older ones are read from the store
    std::size_t page_events = 100;
    std::chrono::milliseconds access_interval{2'000};  ///< how often a reader's access is looked at
};

/// What a reader sees of a room: the rules of the surface that it reads by.
///
/// *Thread safety*: loop only.
class tail_view {
   public:
    virtual ~tail_view() = default;

    /// Whether it may still see the room, as the room is now. *Errors*: store errors; it is asked again then.
    [[nodiscard]] virtual awaitable<result<bool>> may_read(
        std::shared_ptr<const room_context> around
    ) = 0;

    /// Of an event that was just committed.
    [[nodiscard]] virtual bool may_see(const room_context& around, const room_event& event)
        const = 0;

    /// Of a piece of the stored timeline, in its order; what was taken back has become a tombstone.
    [[nodiscard]] virtual awaitable<result<std::vector<room_event>>> show(
        std::shared_ptr<const room_context> around, std::vector<room_event> events
    ) = 0;
};

/// Who reads what, from where.
struct tail_request {
    organization_id organization;
    room_id room;
    std::optional<tail_position> after;  ///< unset: from now on
    std::unique_ptr<tail_view> view;
};

class tail_reader;

/// The tails of one worker. A reader pulls: it holds one page at a time and no queue, so that a slow one costs its
/// own socket and nothing else.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its readers and the kit it listens to.
class room_tails final : public commit_listener {
   public:
    room_tails(executor& where, conversation_store& store, room_tails_settings with);
    ~room_tails() override;

    room_tails(const room_tails&) = delete;
    room_tails& operator=(const room_tails&) = delete;

    /// Watches first and reads then, so that nothing falls between the two.
    /// *Errors*: `not_found`, `not_authorized` (the view says no), store errors.
    [[nodiscard]] awaitable<result<std::unique_ptr<tail_reader>>> open(tail_request request);

    void committed(
        const std::shared_ptr<const room_context>& around, const std::vector<room_event>& events
    ) noexcept override;
    void erased(const room_id& room, const std::vector<event_id>& events) noexcept override;

    /// Others have committed to a room: reads what is new, once for all readers of this worker; nothing if there are none.
    [[nodiscard]] awaitable<void> catch_up(room_id room);

    /// The same for every room that is watched.
    [[nodiscard]] awaitable<void> catch_up_all();

    /// This worker goes away: every reader is told so, as soon as it has taken what it waits for.
    void end_all() noexcept;

    /// How many readers watch.
    [[nodiscard]] std::size_t readers() const noexcept { return readers_; }

   private:
    friend class tail_reader;

    struct watched_room;

    [[nodiscard]] std::shared_ptr<watched_room> watch(
        const organization_id& organization, const room_id& room
    );
    void unwatch(const std::shared_ptr<watched_room>& room) noexcept;
    [[nodiscard]] awaitable<result<>> look_at(std::shared_ptr<watched_room> room);
    [[nodiscard]] awaitable<result<>> look_now(std::shared_ptr<watched_room> room);
    void add(watched_room& room, const std::vector<room_event>& events) const;

    // fixed after construction
    executor& where_;
    conversation_store& store_;
    const room_tails_settings settings_;

    // touched on the loop only
    std::size_t readers_ = 0;
    bool is_draining_ = false;
    std::unordered_map<room_id, std::shared_ptr<watched_room>> rooms_;
};

/// One reader of one room.
///
/// *Thread safety*: loop only; one `next` at a time. *Lifetime*: the tails outlive it.
class tail_reader {
   public:
    ~tail_reader();

    tail_reader(const tail_reader&) = delete;
    tail_reader& operator=(const tail_reader&) = delete;

    /// What follows the position, as soon as there is something, a page at most; an empty page at `until`.
    /// After a `tail_end` there is nothing more. *Errors*: `cancelled`, store errors (it may be called again).
    [[nodiscard]] awaitable<result<tail_page>> next(deadline until);

    [[nodiscard]] const tail_position& position() const noexcept { return position_; }

    [[nodiscard]] const room_id& room() const noexcept { return request_.room; }

   private:
    friend class room_tails;

    tail_reader(
        room_tails* tails, std::shared_ptr<room_tails::watched_room> room, tail_request request
    );

    [[nodiscard]] awaitable<result<bool>> check_access();
    [[nodiscard]] tail_page end(std::string reason);
    [[nodiscard]] awaitable<result<>> read_page(tail_page* page);
    void take_erased(tail_page* page);
    [[nodiscard]] bool take_recent(tail_page* page);
    [[nodiscard]] awaitable<result<>> take_stored(tail_page* page);
    [[nodiscard]] awaitable<result<>> settle_position(tail_page* page);

    // fixed after construction
    room_tails& tails_;
    const std::shared_ptr<room_tails::watched_room> room_;
    const tail_request request_;

    // touched on the loop only
    tail_position position_;
    std::uint64_t erased_seen_ = 0;
    monotonic_time looked_at_{};
    bool has_ended_ = false;
};

}  // namespace convene
