// SPDX-License-Identifier: Apache-2.0
// Showing framework events.
#include "http/view/notice_view.hpp"

#include "http/view/words.hpp"

namespace convene {

const schema& framework_event_schema() {
    static const schema made = schema::object(
        "FrameworkEvent",
        {required("sequence", schema::integer({1}), "Ascending, over all rooms"),
         required("type", schema::text(), "`delivery_skipped`, `event_blocked`, ..."),
         required("room_id", schema::text()),
         required("event_id", schema::text()),
         required("data", schema::any_object()),
         required("created_at", schema::time())}
    );
    return made;
}

void write_framework_event(json_writer& out, const framework_event& shown) {
    out.begin_object();
    out.key("sequence").integer(shown.sequence);
    out.key("type").string(shown.type);
    out.key("room_id").string(shown.room.str());
    out.key("event_id").string(shown.event.str());
    out.key("data").json(shown.data);
    write_time(out.key("created_at"), shown.created_at);
    out.end_object();
}

}  // namespace convene
