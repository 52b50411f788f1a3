// SPDX-License-Identifier: Apache-2.0
// Showing tasks and observations.
#include "http/view/task_view.hpp"

#include "http/view/words.hpp"

namespace convene {

const schema& task_status_schema() {
    static const schema made = words_of("TaskStatus", task_status::pending);
    return made;
}

const schema& task_schema() {
    static const schema made = schema::object(
        "Task",
        {required("id", schema::id()),
         required("room_id", schema::id()),
         required("title", schema::text()),
         required("description", schema::text()),
         required("assigned_to", schema::text(), "A participant or channel; empty: nobody"),
         required("status", task_status_schema()),
         required("metadata", schema::any_object()),
         required("created_at", schema::time())}
    );
    return made;
}

const schema& observation_schema() {
    static const schema made = schema::object(
        "Observation",
        {required("id", schema::id()),
         required("room_id", schema::id()),
         required("channel_id", schema::text(), "The agent that made it"),
         required("content", schema::text()),
         required("category", schema::text()),
         required("confidence", schema::number(0, 1)),
         required("metadata", schema::any_object()),
         required("created_at", schema::time())}
    );
    return made;
}

void write_task(json_writer& out, const room_task& shown) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("room_id").string(shown.room.str());
    out.key("title").string(shown.title);
    out.key("description").string(shown.description);
    out.key("assigned_to").string(shown.assigned_to);
    out.key("status").string(word_of(shown.status));
    out.key("metadata").json(shown.metadata);
    write_time(out.key("created_at"), shown.created_at);
    out.end_object();
}

json_text task_as_json(const room_task& shown) {
    json_writer out;
    write_task(out, shown);
    return out.take();
}

void write_observation(json_writer& out, const observation& shown) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("room_id").string(shown.room.str());
    out.key("channel_id").string(shown.channel.str());
    out.key("content").string(shown.content);
    out.key("category").string(shown.category);
    out.key("confidence").number(shown.confidence);
    out.key("metadata").json(shown.metadata);
    write_time(out.key("created_at"), shown.created_at);
    out.end_object();
}

}  // namespace convene
