// SPDX-License-Identifier: Apache-2.0
// An attachment is seen by those who see what names it.
#include "http/attachment_access.hpp"

#include <algorithm>

#include "base/content_attachments.hpp"
#include "http/room_access.hpp"

namespace convene {

std::string uploader_of(const principal& who) {
    return who.is_user() ? "user:" + who.user : "token:" + who.token;
}

awaitable<result<bool>> may_read_attachment(
    conversation_store* store, principal who, room_context around, ops::get_attachment::found asked
) {
    if (!may_see_room(who, around)) {
        co_return false;
    }
    if (who.sees_every_room() || asked.attachment.uploaded_by == uploader_of(who)) {
        co_return true;
    }
    ops::find_events named{around.room.id, std::move(asked.named_by)};
    auto events = co_await store->run(std::move(named));
    if (!events) {
        co_return events.error();
    }
    auto looking = visible_events(store, std::move(who), std::move(around), *std::move(events));
    const auto seen = co_await std::move(looking);
    if (!seen) {
        co_return seen.error();
    }
    co_return std::ranges::any_of(*seen, [&asked](const room_event& event) {
        const std::vector<std::string> ids = attachments_in(event.content);
        return std::ranges::find(ids, asked.attachment.id.str()) != ids.end();
    });
}

awaitable<or_problem<>> check_attachments(
    conversation_store* store, principal who, room_context around, content said
) {
    const std::vector<std::string> ids = attachments_in(said);
    for (const std::string& id : ids) {
        ops::get_attachment wanted{who.organization, attachment_id{id}};
        auto found = co_await store->run(std::move(wanted));
        if (!found && found.error() != errc::not_found) {
            co_return problem_of(found.error());
        }
        result<bool> may_name = found && found->attachment.room == around.room.id;
        if (may_name && *may_name) {
            may_name = co_await may_read_attachment(store, who, around, *std::move(found));
        }
        if (!may_name) {
            co_return problem_of(may_name.error());
        }
        if (!*may_name) {
            problem what = validation_problem("content", boundary_reason::unknown_value);
            what.detail =
                "the content names an attachment that is not in this room: upload it "
                "with `POST rooms/{room_id}/attachments` first";
            co_return what;
        }
    }
    co_return or_problem<>{};
}

}  // namespace convene
