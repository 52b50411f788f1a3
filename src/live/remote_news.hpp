// SPDX-License-Identifier: Apache-2.0
// Commits of other workers reach the readers of this one, and ours theirs (V6).
#pragma once

#include "convene/room_kit.hpp"

#include <functional>
#include <optional>

#include "live/inbox_feed.hpp"
#include "live/room_tails.hpp"
#include "live/worker_bus.hpp"

namespace convene {

class conversation_store;

/// Says what is committed here; reads what is committed elsewhere, once for all readers of this worker, and only where
/// somebody looks.
///
/// *Thread safety*: loop only. *Lifetime*: its parts outlive it; it outlives the kit it listens to; `run` has ended before
/// it is destroyed.
class remote_news final : public commit_listener {
   public:
    struct parts {
        worker_bus* bus = nullptr;
        conversation_store* store = nullptr;
        room_tails* tails = nullptr;
        inbox_feed* inbox = nullptr;
        /// Takes up channels that were registered or changed elsewhere. *Errors*: those of the store.
        std::function<awaitable<result<>>()> refresh_channels;
        incarnation_id self;
        /// Deliveries of a room are this worker's turn.
        std::function<void(const organization_id&, const room_id&)> answer_bell;
        /// News of sessions, their runs and turns; nothing: some may have been missed. Unset: nobody waits for them.
        std::function<awaitable<void>(std::optional<room_news>)> hear_runs;
    };

    explicit remote_news(parts with);

    remote_news(const remote_news&) = delete;
    remote_news& operator=(const remote_news&) = delete;

    void committed(
        const std::shared_ptr<const room_context>& around, const std::vector<room_event>& events
    ) noexcept override;
    void erased(const room_id& room, const std::vector<event_id>& events) noexcept override;

    /// The registered channels of an organisation have changed here.
    void channels_changed(const organization_id& organization);

    /// Passes on what other workers say, until it is cancelled.
    [[nodiscard]] awaitable<void> run();

   private:
    [[nodiscard]] awaitable<void> take(room_news news);
    [[nodiscard]] awaitable<void> take_commit(room_news news);
    [[nodiscard]] awaitable<void> take_change(room_news news);

    const parts parts_;
};

}  // namespace convene
