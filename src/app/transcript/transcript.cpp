// SPDX-License-Identifier: Apache-2.0
// Transcripts: comparing events, and naming the target of a change.
#include "app/transcript/transcript.hpp"

#include "base/canonical_json.hpp"
#include "base/content_access.hpp"
#include "base/json_writer.hpp"

namespace convene {

bool is_same_event(const transcript_event& a, const transcript_event& b) {
    const bool has_changed = a.is_edited || b.is_edited || a.is_deleted || b.is_deleted;
    transcript_event compared = a;
    compared.is_edited = b.is_edited;
    compared.is_deleted = b.is_deleted;
    if (has_changed) {
        compared.content = b.content;
        compared.metadata = b.metadata;
    }
    return compared == b;
}

content with_target(const content& change, std::string_view target) {
    json_writer out;
    out.begin_object();
    for (const json_member& member : members_of(change.json().str())) {
        out.key(member.key);
        if (member.key == "target_event_id") {
            out.string(target);
        } else {
            out.json(json_text::trusted(std::string{member.value}));
        }
    }
    out.end_object();
    return content_access::make(change.type(), out.take());
}

}  // namespace convene
