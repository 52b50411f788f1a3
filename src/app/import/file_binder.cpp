// SPDX-License-Identifier: Apache-2.0
// File binder: the binding that the channel of files delivers to.
#include "app/import/file_binder.hpp"

#include <utility>

#include "app/delivery_files.hpp"

namespace convene {

namespace {

binding file_binding(const room_id& room, const std::filesystem::path& file) {
    binding attached;
    attached.room = room;
    attached.channel = delivery_files::id_of_all();
    attached.channel_type = "file";
    attached.kind = channel_kind::transport;
    attached.address = file.native();
    return attached;
}

}  // namespace

awaitable<outcome<room_context>> file_binder::bind(room_context found) {
    const binding wanted = file_binding(found.room.id, file_);
    const binding* const present = found.find_binding(wanted.channel);
    if (present != nullptr && present->address == wanted.address) {
        co_return found;
    }
    const auto attached = co_await kit_.attach_channel(organization_, wanted);
    if (!attached) {
        co_return store_failure(attached.error(), "binding the room to its file");
    }
    auto whole = co_await kit_.get_room(organization_, found.room.id);
    if (!whole) {
        co_return store_failure(whole.error(), "reading the room");
    }
    co_return std::move(*whole);
}

}  // namespace convene
