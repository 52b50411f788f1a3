// SPDX-License-Identifier: Apache-2.0
// Showing participants and identities.
#include "http/view/participant_view.hpp"

#include "http/view/words.hpp"

namespace convene {

const schema& participant_role_schema() {
    static const schema made = words_of("ParticipantRole", participant_role::member);
    return made;
}

const schema& participant_status_schema() {
    static const schema made = words_of("ParticipantStatus", participant_status::active);
    return made;
}

const schema& participant_schema() {
    static const schema made = schema::object(
        "Participant",
        {required("id", schema::id(), "A user's id, where it is one"),
         required("display_name", schema::text()),
         required("role", participant_role_schema()),
         required("status", participant_status_schema()),
         required("identity_id", schema::text(), "The person behind it; empty: not identified"),
         required("external_id", schema::text()),
         required("metadata", schema::any_object()),
         required("joined_at", schema::time())}
    );
    return made;
}

const schema& identity_schema() {
    static const schema made = schema::object(
        "Identity",
        {required("id", schema::id()),
         required("display_name", schema::text()),
         required("metadata", schema::any_object()),
         required("created_at", schema::time())}
    );
    return made;
}

void write_participant(json_writer& out, const participant& shown) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("display_name").string(shown.display_name);
    out.key("role").string(word_of(shown.role));
    out.key("status").string(word_of(shown.status));
    out.key("identity_id").string(shown.identity.str());
    out.key("external_id").string(shown.external_id);
    out.key("metadata").json(shown.metadata);
    write_time(out.key("joined_at"), shown.joined_at);
    out.end_object();
}

json_text participant_as_json(const participant& shown) {
    json_writer out;
    write_participant(out, shown);
    return out.take();
}

json_text identity_as_json(const identity& shown) {
    json_writer out;
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("display_name").string(shown.display_name);
    out.key("metadata").json(shown.metadata);
    write_time(out.key("created_at"), shown.created_at);
    out.end_object();
    return out.take();
}

}  // namespace convene
