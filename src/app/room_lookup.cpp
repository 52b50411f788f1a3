// SPDX-License-Identifier: Apache-2.0
// Room look-up: external ids first.
#include "app/room_lookup.hpp"

#include <fmt/format.h>

#include "base/text_boundary.hpp"

namespace convene {

awaitable<result<std::optional<room>>> look_up_room(
    conversation_store* store, organization_id organization, std::string name
) {
    ops::find_room_by_external_id by_name{organization, name};
    auto named = co_await store->run(std::move(by_name));
    if (!named || *named) {
        co_return named;
    }
    ops::get_room by_id{std::move(organization), room_id{std::move(name)}};
    auto found = co_await store->run(std::move(by_id));
    if (found) {
        co_return std::optional<room>{std::move(*found)};
    }
    if (found.error() == errc::not_found) {
        co_return std::optional<room>{};
    }
    co_return found.error();
}

awaitable<outcome<room_context>> find_room(conversation_reader* reader, std::string name) {
    const checked<> is_name = check_id(name, "ROOM");
    if (!is_name) {
        co_return refused_value(is_name.error());
    }
    auto found = co_await reader->look_up_room(name);
    if (!found) {
        co_return found.error();
    }
    if (!*found) {
        co_return failure{
            exit_code::refused,
            fmt::format("ROOM: there is no room '{}'", name),
            "`convene rooms` lists them; `convene send --create` makes one"
        };
    }
    co_return std::move(**found);
}

const std::string& name_of(const room& found) noexcept {
    return found.external_id.empty() ? found.id.str() : found.external_id;
}

}  // namespace convene
