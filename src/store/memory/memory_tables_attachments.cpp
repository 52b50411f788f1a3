// SPDX-License-Identifier: Apache-2.0
// The memory tables: attachments.
#include <algorithm>
#include <utility>

#include "store/attachment_rules.hpp"
#include "store/memory/memory_tables.hpp"

namespace convene {

bool memory_tables::is_given_up(const attachment_tables::row& upload, wall_time now) const {
    return upload.info.state == attachment_state::uploading &&
           (is_ownerless(upload.uploader) || (upload.expires_at && *upload.expires_at <= now));
}

result<ops::begin_attachment::outcome> memory_tables::apply(const ops::begin_attachment& request) {
    using enum ops::begin_attachment::verdict;
    const attachment& wanted = request.attachment;
    if (find_room(wanted.organization, wanted.room) == nullptr) {
        return errc::not_found;
    }
    const wall_time now = clock_.now();
    std::int64_t freed = 0;
    if (const attachment_tables::row* const known = attachments_.find(wanted.id)) {
        if (known->info.state == attachment_state::stored) {
            return ops::begin_attachment::outcome{
                ops::begin_attachment::verdict::known, known->info
            };
        }
        if (known->info.state == attachment_state::removed) {
            return ops::begin_attachment::outcome{removed, {}};
        }
        if (!is_given_up(*known, now)) {
            return ops::begin_attachment::outcome{running, {}};
        }
        freed = known->info.size_bytes;
    }
    const std::int64_t more = wanted.size_bytes - freed;
    if (attachments_.bytes_of(wanted.organization, wanted.room) + more > request.room_bytes) {
        return ops::begin_attachment::outcome{room_full, {}};
    }
    if (attachments_.bytes_of(wanted.organization, {}) + more > request.organization_bytes) {
        return ops::begin_attachment::outcome{organization_full, {}};
    }
    attachment added = wanted;
    added.state = attachment_state::uploading;
    added.created_at = now;
    attachments_.put(added, request.uploader, now + attachment_upload_time);
    return ops::begin_attachment::outcome{begun, std::move(added)};
}

result<std::monostate> memory_tables::apply(const ops::append_attachment& request) {
    attachment_tables::row* const upload = attachments_.find(request.id);
    if (upload == nullptr || upload->info.state != attachment_state::uploading ||
        upload->uploader != request.uploader) {
        return errc::claim_lost;
    }
    const auto present = static_cast<std::int64_t>(upload->chunks.size());
    if (!is_next_chunk(request, upload->info.size_bytes, present)) {
        return errc::invalid_argument;
    }
    upload->chunks.emplace(request.number, request.bytes);
    return std::monostate{};
}

result<attachment> memory_tables::apply(const ops::finish_attachment& request) {
    attachment_tables::row* const upload = attachments_.find(request.id);
    if (upload == nullptr || upload->info.state != attachment_state::uploading ||
        upload->uploader != request.uploader) {
        return errc::claim_lost;
    }
    const auto present = static_cast<std::int64_t>(upload->chunks.size());
    if (present != attachment_chunks(upload->info.size_bytes)) {
        return errc::invalid_argument;
    }
    const wall_time now = clock_.now();
    upload->info.state = attachment_state::stored;
    upload->info.created_at = now;
    upload->expires_at = now + attachment_unnamed_time;
    return upload->info;
}

result<std::monostate> memory_tables::apply(const ops::abandon_attachment& request) {
    attachment_tables::row* const upload = attachments_.find(request.id);
    if (upload != nullptr && upload->info.state == attachment_state::uploading &&
        upload->uploader == request.uploader) {
        upload->uploader = incarnation_id{};
    }
    return std::monostate{};
}

result<ops::get_attachment::found> memory_tables::apply(const ops::get_attachment& request) {
    constexpr std::size_t most_events = 100;
    const attachment_tables::row* const known = attachments_.find(request.id);
    if (known == nullptr || known->info.state != attachment_state::stored ||
        (request.organization && known->info.organization != *request.organization)) {
        return errc::not_found;
    }
    ops::get_attachment::found answer{known->info, {}};
    for (const event_id& event : known->named_by) {
        if (answer.named_by.size() < most_events) {
            answer.named_by.push_back(event);
        }
    }
    return answer;
}

result<std::string> memory_tables::apply(const ops::read_attachment& request) {
    const attachment_tables::row* const known = attachments_.find(request.id);
    if (known == nullptr || known->info.state != attachment_state::stored ||
        !known->chunks.contains(request.number)) {
        return errc::not_found;
    }
    return known->chunks.at(request.number);
}

result<std::vector<attachment>> memory_tables::apply(const ops::list_attachments& request) {
    std::vector<attachment> found;
    const auto& all = attachments_.all();
    for (auto next = all.upper_bound(request.after);
         next != all.end() && found.size() < request.limit;
         ++next) {
        const attachment& info = next->second.info;
        if (info.room == request.room && info.organization == request.organization &&
            info.state == attachment_state::stored) {
            found.push_back(info);
        }
    }
    return found;
}

result<bool> memory_tables::apply(const ops::remove_attachment& request) {
    attachment_tables::row* const known = attachments_.find(request.id);
    if (known == nullptr || known->info.state != attachment_state::stored ||
        known->info.organization != request.organization) {
        return false;
    }
    const wall_time now = clock_.now();
    attachments_.remove(*known, now);
    access_.note(request.audit, now);
    return true;
}

result<ops::erase_attachments::outcome> memory_tables::apply(const ops::erase_attachments& request
) {
    const wall_time now = clock_.now();
    std::vector<std::pair<wall_time, attachment_id>> due;
    for (const auto& [id, known] : attachments_.all()) {
        if (known.expires_at && (*known.expires_at <= now || is_given_up(known, now))) {
            due.emplace_back(*known.expires_at, id);
        }
    }
    std::ranges::sort(due);
    ops::erase_attachments::outcome done;
    std::size_t left = request.limit;
    for (const auto& [at, id] : due) {
        if (left == 0) {
            break;
        }
        attachment_tables::row& leaving = *attachments_.find(id);
        attachments_.remove(leaving, now);
        for (; left > 0 && !leaving.chunks.empty(); --left) {
            leaving.chunks.erase(leaving.chunks.begin());
        }
        if (left == 0) {
            break;
        }
        // The row counts, too, so that empty files are no work without end.
        --left;
        attachments_.drop(id);
        ++done.erased;
    }
    done.has_more = left == 0;
    return done;
}

}  // namespace convene
