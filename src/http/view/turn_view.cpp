// SPDX-License-Identifier: Apache-2.0
// Showing turns.
#include "http/view/turn_view.hpp"

#include <algorithm>
#include <chrono>

#include "http/view/words.hpp"

namespace convene {

const schema& turn_schema() {
    static const schema made = schema::object(
        "Turn",
        {required("id", schema::id()),
         required("room_id", schema::id(), "The session"),
         required("kind", words_of("TurnKind", turn_kind::kickoff)),
         required("status", words_of("TurnStatus", turn_status::queued)),
         required("attempts", schema::integer({0}), "How often a worker took it"),
         required("reason", schema::text(), "Of the last failure, one word; empty: none"),
         required("worker", schema::text(), "The incarnation that runs it, or did last"),
         required("run_id", schema::text(), "As which it is run; empty: not yet"),
         required("acting_for", schema::text(), "By whose right it acts"),
         required("age_seconds", schema::number(0, 1e12), "Since it was queued"),
         required("queued_at", schema::time()),
         required("not_before", schema::time(), "It does not begin sooner")}
    );
    return made;
}

void write_turn(json_writer& out, const session_turn& shown, wall_time now) {
    const std::chrono::duration<double> age = now - shown.queued_at;
    // In the order of the keys: canonical, as a client has it of any server.
    out.begin_object();
    out.key("acting_for").string(shown.acting_for);
    // The store's clock may be ahead of ours.
    out.key("age_seconds").number(std::max(age.count(), 0.0));
    out.key("attempts").integer(shown.attempts);
    out.key("id").string(shown.id.str());
    out.key("kind").string(word_of(shown.kind));
    write_time(out.key("not_before"), shown.not_before);
    write_time(out.key("queued_at"), shown.queued_at);
    out.key("reason").string(shown.last_error);
    out.key("room_id").string(shown.room.str());
    out.key("run_id").string(shown.run.str());
    out.key("status").string(word_of(shown.status));
    out.key("worker").string(shown.worker.str());
    out.end_object();
}

std::optional<turn_status> turn_status_of(std::string_view word) {
    using enum turn_status;
    for (const turn_status one : {queued, running, done, failed, quarantined}) {
        if (word_of(one) == word) {
            return one;
        }
    }
    return std::nullopt;
}

}  // namespace convene
