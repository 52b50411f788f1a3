// SPDX-License-Identifier: Apache-2.0
// Principal view: the rules of access, asked again and again.
#include "http/stream/principal_view.hpp"

#include <utility>

#include "http/room_access.hpp"

namespace convene {

namespace {

class principal_view final : public tail_view {
   public:
    principal_view(conversation_store* store, authenticator* who, principal reader)
        : store_(*store), who_(*who), reader_(std::move(reader)) {}

    [[nodiscard]] awaitable<result<bool>> may_read(std::shared_ptr<const room_context> around
    ) override {
        auto now = co_await who_.check_again(reader_);
        if (!now && now.error() == errc::not_authorized) {
            co_return false;
        }
        if (!now) {
            co_return now.error();
        }
        reader_ = std::move(*now);
        co_return may_see_room(reader_, *around);
    }

    [[nodiscard]] bool may_see(const room_context& around, const room_event& event) const override {
        return may_see_event(reader_, around, event);
    }

    [[nodiscard]] awaitable<result<std::vector<room_event>>> show(
        std::shared_ptr<const room_context> around, std::vector<room_event> events
    ) override {
        return visible_events(&store_, reader_, *around, std::move(events));
    }

   private:
    // fixed after construction
    conversation_store& store_;
    authenticator& who_;

    // touched on the loop only
    principal reader_;
};

}  // namespace

std::unique_ptr<tail_view> make_principal_view(
    conversation_store* store, authenticator* who, principal reader
) {
    return std::make_unique<principal_view>(store, who, std::move(reader));
}

}  // namespace convene
