// SPDX-License-Identifier: Apache-2.0
// A driver's append: the statements.
#include "store/postgres/driver_append.hpp"

#include <string>
#include <string_view>

#include "store/postgres/expect.hpp"
#include "store/session_rules.hpp"
#include "store/sql/writes.hpp"

namespace convene::postgres {

result<> check_driver(const ops::commit& batch) {
    for (const ops::commit::session_append& append : batch.session) {
        if (!is_delta(append.delta)) {
            return errc::invalid_argument;
        }
    }
    for (const ops::commit::session_append& append : batch.session) {
        if (append.epoch != batch.session.front().epoch) {
            return errc::driver_fenced;
        }
    }
    return {};
}

void add_driver(request* sent, const ops::commit& batch, wall_time now) {
    static const std::string guard = "SELECT " + expect(
                                                     "EXISTS (SELECT 1 FROM sessions WHERE room_id"
                                                     " = ?1 AND driver_epoch = ?2 FOR UPDATE)",
                                                     expected_driver,
                                                     "driver_fenced"
                                                 );
    if (batch.session.empty()) {
        return;
    }
    sent->add(guard, batch.room, batch.session.front().epoch);
    const state_delta delta = combine(batch.session);
    if (delta.user != json_text{}) {
        sent->add(
            "INSERT INTO user_state (organization_id, owner, state) SELECT organization_id, owner,"
            " convene_merge('{}', ?2) FROM sessions WHERE room_id = ?1 ON CONFLICT"
            " (organization_id, owner) DO UPDATE SET state = convene_merge(user_state.state, ?2)",
            batch.room,
            delta.user
        );
    }
    if (delta.app != json_text{}) {
        sent->add(
            "INSERT INTO app_state (organization_id, state) SELECT organization_id,"
            " convene_merge('{}', ?2) FROM sessions WHERE room_id = ?1 ON CONFLICT"
            " (organization_id) DO UPDATE SET state = convene_merge(app_state.state, ?2)",
            batch.room,
            delta.app
        );
    }
    const auto count = static_cast<std::int64_t>(batch.session.size());
    if (delta.session == json_text{}) {
        sent->add(
            "UPDATE sessions SET sequence = sequence + ?2, updated_at = ?3 WHERE room_id = ?1",
            batch.room,
            count,
            now
        );
        return;
    }
    sent->add(
        "UPDATE sessions SET sequence = sequence + ?2, updated_at = ?3, state ="
        " convene_merge(state, ?4) WHERE room_id = ?1",
        batch.room,
        count,
        now,
        delta.session
    );
}

void add_consumed_turns(request* sent, const ops::commit& batch) {
    const auto write = [sent](std::string_view text, const auto&... values) {
        sent->add(text, values...);
    };
    for (const ops::commit::session_append& append : batch.session) {
        if (!append.consumes.empty()) {
            sql::consume_turn(write, batch.room, append);
        }
    }
}

}  // namespace convene::postgres
