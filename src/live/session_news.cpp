// SPDX-License-Identifier: Apache-2.0
// Session news: from a session to the people of its room.
#include "live/session_news.hpp"

#include <utility>

#include "store/store.hpp"

namespace convene {

awaitable<void> session_news::tell(organization_id organization, room_id room) {
    if (!inbox_.has_sessions(organization)) {
        co_return;
    }
    ops::load_room_context request{std::move(organization), std::move(room)};
    const auto around = co_await store_.run(std::move(request));
    // A room that is gone has no news. Where the store does not answer, whoever watches looks again by itself.
    if (around) {
        inbox_.hear_session(*around);
    }
}

}  // namespace convene
