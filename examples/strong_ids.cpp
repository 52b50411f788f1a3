// SPDX-License-Identifier: Apache-2.0
// The smallest consumer: ids are classes of their own, and an index says what it is.
#include <convene/ids.hpp>

#include <iostream>
#include <type_traits>

// Passing a channel where a room is meant does not compile.
static_assert(!std::is_convertible_v<convene::channel_id, convene::room_id>);

int main() {
    const convene::room_id room{"support-42"};
    const convene::event_index before_the_first = convene::event_index::none();

    std::cout << "The first event of " << room.str() << " gets index "
              << before_the_first.next().value() << '\n';
}
