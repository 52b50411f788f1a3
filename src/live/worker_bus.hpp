// SPDX-License-Identifier: Apache-2.0
// What workers of one deployment tell each other about rooms (V6): names of what has changed, never what it is.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"
#include "convene/ids.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace convene {

/// What there is to look at again. The words on the wire are frozen: workers of two versions run side by side.
enum class room_news_kind : std::uint8_t {
    committed = 1,  ///< events of a room
    erased = 2,     ///< `names`: the events that were deleted for good
    changed =
        3,  ///< its name, its state, or who is in it; `names`: for these people only, none: for all
    read = 4,        ///< `names`: who has read on in it
    channels = 5,    ///< the registered channels of an organisation
    deliveries = 6,  ///< of a room; `names`: the worker whose turn it is
    runs = 7,        ///< of a session: `names` have gone on
    run_ends = 8,    ///< of a session: `names` are to end
    turns = 9,       ///< one waits for a worker to run it
    session = 10,    ///< a room's session runs, has ended its run, asks, or is answered
};

struct room_news {
    room_news_kind kind{};
    organization_id organization;
    room_id room;
    std::vector<std::string> names;

    friend auto operator<=>(const room_news&, const room_news&) = default;
};

/// What was heard. Whoever may have missed something looks at everything that it shows.
struct heard_news {
    std::vector<room_news> news;
    bool may_have_missed = false;
};

/// Best effort, and quick: what is said is always backed by a read of the store, and nothing waits for it.
///
/// *Thread safety*: loop only.
class worker_bus {
   public:
    virtual ~worker_bus() = default;

    /// Says it to all other workers, soon; the same thing said twice meanwhile is said once.
    virtual void publish(room_news news) = 0;

    /// False while nothing that is said reaches anybody.
    [[nodiscard]] virtual bool is_connected() const noexcept = 0;

    /// What other workers said, waiting for the first. One caller at a time. *Errors*: `cancelled`, `timed_out`.
    [[nodiscard]] virtual awaitable<result<heard_news>> hear() = 0;
};

}  // namespace convene
