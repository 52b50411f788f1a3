// SPDX-License-Identifier: Apache-2.0
// Showing remote hooks.
#include "http/view/hook_view.hpp"

#include "http/view/event_view.hpp"
#include "http/view/words.hpp"

namespace convene {

namespace {

void write_fields(json_writer& out, const remote_hook& shown) {
    out.key("id").string(shown.id.str());
    out.key("room_id").string(shown.room.str());
    out.key("name").string(shown.name);
    out.key("url").string(shown.url);
    out.key("mode").string(word_of(shown.mode));
    out.key("priority").integer(shown.priority);
    out.key("channel_types").begin_array();
    for (const std::string& type : shown.channel_types) {
        out.string(type);
    }
    out.end_array();
    out.key("event_types").begin_array();
    for (const event_type type : shown.event_types) {
        out.string(word_of(type));
    }
    out.end_array();
    out.key("deadline_ms").integer(shown.deadline.count());
    out.key("on_failure").string(word_of(shown.on_failure));
    out.key("is_enabled").boolean(shown.is_enabled);
    write_time(out.key("previous_secret_until"), shown.previous_until);
    write_time(out.key("created_at"), shown.created_at);
    write_time(out.key("updated_at"), shown.updated_at);
}

}  // namespace

const schema& hook_mode_schema() {
    static const schema made = words_of("HookMode", hook_mode::remote);
    return made;
}

const schema& hook_failure_policy_schema() {
    static const schema made = words_of("HookFailurePolicy", hook_failure_policy::fail_open);
    return made;
}

const schema& hook_schema() {
    static const schema made = schema::object(
        "Hook",
        {required("id", schema::id(), "Shows as `blocked_by`"),
         required("room_id", schema::text(), "Empty: every room of the organisation"),
         required("name", schema::text()),
         required("url", schema::text()),
         required("mode", hook_mode_schema()),
         required("priority", schema::integer(), "Lower is asked first"),
         required("channel_types", schema::list(schema::text()), "Empty: any source"),
         required("event_types", schema::list(event_type_schema()), "Empty: any"),
         required("deadline_ms", schema::integer({1, 10'000})),
         required("on_failure", hook_failure_policy_schema()),
         required("is_enabled", schema::boolean()),
         required(
             "previous_secret_until",
             schema::time().or_null(),
             "Until when calls are signed with the secret before, too"
         ),
         required("created_at", schema::time()),
         required("updated_at", schema::time())}
    );
    return made;
}

const schema& made_hook_schema() {
    static const schema made = extended(
        hook_schema(), "MadeHook", {required("secret", schema::text(), "Shown once")}
    );
    return made;
}

void write_hook(json_writer& out, const remote_hook& shown) {
    out.begin_object();
    write_fields(out, shown);
    out.end_object();
}

json_text hook_as_json(const remote_hook& shown) {
    json_writer out;
    write_hook(out, shown);
    return out.take();
}

json_text made_hook_as_json(const remote_hook& shown, const std::string& secret) {
    json_writer out;
    out.begin_object();
    write_fields(out, shown);
    out.key("secret").string(secret);
    out.end_object();
    return out.take();
}

}  // namespace convene
