// SPDX-License-Identifier: Apache-2.0
// Showing sessions and runs.
#include "http/view/session_view.hpp"

#include "http/view/words.hpp"

namespace convene {

namespace {

schema open_call_schema() {
    return schema::object(
        "OpenToolCall",
        {required("id", schema::text()),
         required("name", schema::text()),
         required("arguments", schema::any_object())}
    );
}

}  // namespace

const schema& session_schema() {
    static const schema made = schema::object(
        "Session",
        {required("room_id", schema::id()),
         required("agent", schema::id(), "The channel that answers"),
         required("owner", schema::text(), "Whose `user:` state it shares"),
         required("status", words_of("SessionStatus", session_status::idle)),
         required("sequence", schema::integer({0}), "How often something was appended"),
         required("driver_epoch", schema::integer({0}), "How often somebody began to drive it"),
         required("run_id", schema::text(), "The running or last run; empty: none"),
         required(
             "open_calls", schema::list(open_call_schema()), "Calls whose results are to come"
         ),
         required("interrupts", schema::list(approval_schema()), "What people are asked"),
         required("state", schema::any_object()),
         required("user_state", schema::any_object()),
         required("app_state", schema::any_object()),
         required("created_at", schema::time()),
         required("updated_at", schema::time())}
    );
    return made;
}

const schema& run_schema() {
    static const schema made = schema::object(
        "Run",
        {required("id", schema::id()),
         required("room_id", schema::id()),
         required("status", words_of("RunStatus", run_status::running)),
         required("started_by", schema::text(), "A user or a token; empty: nobody's request"),
         required("worker", schema::text(), "The incarnation that drives it, or did last"),
         required("epoch", schema::integer({0})),
         required("is_cancel_requested", schema::boolean()),
         required("finish_reason", schema::text(), "Empty while it runs"),
         required("error_code", schema::text(), "Empty: none"),
         required("last_frame", schema::integer({-1}), "Its stream has frames up to this number"),
         required("started_at", schema::time()),
         required("ended_at", schema::time().or_null())}
    );
    return made;
}

json_text session_as_json(
    const agent_session& shown, const session_state& state, const std::vector<shown_approval>& open
) {
    json_writer out;
    out.begin_object();
    out.key("room_id").string(shown.room.str());
    out.key("agent").string(shown.agent.str());
    out.key("owner").string(shown.owner);
    out.key("status").string(word_of(shown.status));
    out.key("sequence").integer(shown.sequence);
    out.key("driver_epoch").integer(shown.driver_epoch);
    out.key("run_id").string(shown.run.str());
    out.key("open_calls").begin_array();
    for (const open_call& call : shown.open_calls) {
        out.begin_object().key("id").string(call.id).key("name").string(call.name);
        out.key("arguments").json(call.arguments).end_object();
    }
    out.end_array();
    out.key("interrupts").begin_array();
    for (const shown_approval& one : open) {
        write_approval(out, one);
    }
    out.end_array();
    out.key("state").json(state.session);
    out.key("user_state").json(state.user);
    out.key("app_state").json(state.app);
    write_time(out.key("created_at"), shown.created_at);
    write_time(out.key("updated_at"), shown.updated_at);
    out.end_object();
    return out.take();
}

void write_run(json_writer& out, const agent_run_record& shown) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("room_id").string(shown.room.str());
    out.key("status").string(word_of(shown.status));
    out.key("started_by").string(shown.started_by);
    out.key("worker").string(shown.worker.str());
    out.key("epoch").integer(shown.epoch);
    out.key("is_cancel_requested").boolean(shown.is_cancel_requested);
    out.key("finish_reason").string(shown.finish_reason);
    out.key("error_code").string(shown.error_code);
    out.key("last_frame").integer(shown.next_frame - 1);
    write_time(out.key("started_at"), shown.started_at);
    out.key("ended_at");
    if (shown.ended_at) {
        write_time(out, *shown.ended_at);
    } else {
        out.null();
    }
    out.end_object();
}

json_text run_as_json(const agent_run_record& shown) {
    json_writer out;
    write_run(out, shown);
    return out.take();
}

}  // namespace convene
