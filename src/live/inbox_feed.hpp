// SPDX-License-Identifier: Apache-2.0
// What concerns a person: in which of their rooms something was said.
#pragma once

#include "convene/room_kit.hpp"
#include "convene/wait.hpp"

#include <functional>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "live/worker_bus.hpp"

namespace convene {

/// What there is to look at again.
struct inbox_news {
    std::vector<room_id> moved;    ///< something was said, or was read elsewhere
    std::vector<room_id> changed;  ///< its name, its state, or who is in it
    std::vector<room_id> driven;   ///< its session runs, has ended its run, asks, or is answered
    bool may_have_missed = false;  ///< anything else may have moved too: all is to be looked at
};

/// Which rooms a person is told of beside those that they are in.
enum class inbox_scope {
    own_rooms,
    every_room,  ///< also what changes about others of the organisation: who may see them all
};

/// Tells the sessions of a person which of their rooms have moved. Rooms, not events: whoever is told looks, so
/// that a flood in a room is one notice for as long as nobody took it.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its subscriptions and the kit it listens to.
class inbox_feed final : public commit_listener {
   public:
    /// One session of a person.
    class subscription {
       public:
        subscription(
            inbox_feed* feed, organization_id organization, participant_id who, inbox_scope scope
        );
        ~subscription();

        subscription(const subscription&) = delete;
        subscription& operator=(const subscription&) = delete;

        /// What happened since the last call, waiting for the first. *Errors*: `cancelled`.
        [[nodiscard]] awaitable<result<inbox_news>> next();

       private:
        friend class inbox_feed;

        // fixed after construction
        inbox_feed& feed_;
        const organization_id organization_;
        const participant_id who_;
        const inbox_scope scope_;

        // touched on the loop only
        std::set<room_id> moved_;
        std::set<room_id> changed_;
        std::set<room_id> driven_;
        bool may_have_missed_ = false;
        wait_flag arrived_;
    };

    inbox_feed() = default;
    inbox_feed(const inbox_feed&) = delete;
    inbox_feed& operator=(const inbox_feed&) = delete;

    [[nodiscard]] std::unique_ptr<subscription> subscribe(
        organization_id organization, participant_id who, inbox_scope scope = inbox_scope::own_rooms
    );

    void committed(
        const std::shared_ptr<const room_context>& around, const std::vector<room_event>& events
    ) noexcept override;
    void erased(const room_id& room, const std::vector<event_id>& events) noexcept override;

    /// Something about the room itself has changed: for all who are in it, or may see it although they are not.
    void room_changed(const room_context& around);

    /// One person came or went: for them, and for those who may see every room.
    void room_changed(
        const organization_id& organization, const room_id& room, const participant_id& who
    );

    /// A person has read on, in one of their sessions.
    void has_read(
        const organization_id& organization, const room_id& room, const participant_id& who
    );

    // -- other workers ---------------------------------------------------------------------------------

    /// Who is told of what the three calls above report, for the feeds of other workers. Before the first of them.
    void announce_to(std::function<void(room_news)> told) { announce_ = std::move(told); }

    /// Whether anybody of an organisation is told anything here.
    [[nodiscard]] bool has_sessions(const organization_id& organization) const;

    // What other workers reported.
    void hear_commit(const room_context& around);
    void hear_session(const room_context& around);
    void hear_changed(
        const organization_id& organization, const room_id& room, const participant_id& who
    );
    /// For those who see every room.
    void hear_changed(const organization_id& organization, const room_id& room);
    void hear_moved(
        const organization_id& organization, const room_id& room, const participant_id& who
    );

    /// They could not be heard for a while.
    void may_have_missed();

   private:
    using news = std::set<room_id> subscription::*;

    void tell(
        const organization_id& organization,
        const room_id& room,
        const participant_id& who,
        news which
    );

    void tell_overseers(const organization_id& organization, const room_id& room, news which);

    void announce(room_news told) const;

    std::function<void(room_news)> announce_;

    std::unordered_map<participant_id, std::vector<subscription*>> sessions_;
    std::vector<subscription*> overseers_;  ///< those of `sessions_` that see every room
};

}  // namespace convene
