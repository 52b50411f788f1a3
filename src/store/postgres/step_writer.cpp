// SPDX-License-Identifier: Apache-2.0
// Steps: the statement, the connection it goes over, and what its answers mean.
#include "store/postgres/step_writer.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "postgres/arrays.hpp"
#include "postgres/connector.hpp"
#include "postgres/failure.hpp"

namespace convene::postgres {

namespace {

/// Longer than a statement may run: a server that has not answered by then does not answer any more.
constexpr std::chrono::seconds longest_write{45};

constexpr std::chrono::milliseconds between_connects{250};

/// The cursor's move drives the results: a step that misses its compare stores nothing (D7). What follows the step is read
/// by the same statement: whom the room waits for next, or nobody, and then the cursor goes on to the end (events that
/// were deleted for good have nobody to wait for).
///
/// Rows are found by their place: while the statistics say that hardly any row is open, the planner would rather read all open
/// ones, of all rooms, by an index that has no others. `state + 0` is nothing that such an index answers.
constexpr std::string_view step_text =
    "WITH g AS (SELECT * FROM unnest((?1)::text[], (?2)::bigint[], (?3)::bigint[], (?4)::bigint[])"
    " WITH ORDINALITY AS u(room, epoch, first, last, place)),"
    " s AS (UPDATE room_cursors c SET takeovers = 0, waits_for = CASE WHEN n.is_open THEN NULL ELSE"
    " n.committed_by END, delivered_index = CASE WHEN n.committed_by IS NULL THEN greatest(g.last, "
    "r.latest_index) ELSE g.last END"
    " FROM g JOIN rooms r ON r.id = g.room LEFT JOIN LATERAL (SELECT e.committed_by, EXISTS"
    " (SELECT 1 FROM deliveries o WHERE o.room_id = e.room_id AND o.\"index\" = e.\"index\" AND"
    " o.event_id = e.id AND o.state + 0 < 3) AS is_open FROM events e WHERE e.room_id = g.room AND "
    "e.\"index\" > g.last ORDER BY e.\"index\" LIMIT 1) n ON true"
    " WHERE c.room_id = g.room AND c.claim_epoch = g.epoch AND c.delivered_index = g.first - 1"
    " AND g.last <= r.latest_index RETURNING c.room_id, c.delivered_index, g.first, g.last),"
    " d AS (UPDATE deliveries d SET state = u.state, attempts = u.attempts, provider_message_id ="
    " u.provider_message_id, error_code = u.error_code, error_message = u.error_message,"
    " is_retryable = u.is_retryable FROM unnest((?5)::text[], (?6)::text[], (?7)::bigint[],"
    " (?8)::bigint[], (?9)::text[], (?10)::text[], (?11)::text[], (?12)::bigint[]) AS u(room, id,"
    " state, attempts, provider_message_id, error_code, error_message, is_retryable) JOIN s ON"
    " s.room_id = u.room WHERE d.room_id = u.room AND d.\"index\" BETWEEN s.first AND s.last AND"
    " d.id = u.id AND d.state + 0 < 3)"
    " SELECT g.place, s.delivered_index, c.delivered_index, c.claim_epoch, r.latest_index"
    " FROM g JOIN room_cursors c ON c.room_id = g.room JOIN rooms r ON r.id = g.room"
    " LEFT JOIN s ON s.room_id = g.room";

constexpr int step_columns = 4;
constexpr int result_columns = 8;

/// Where a cursor was, by the read that a step was compared in.
struct standing {
    event_index delivered;
    std::int64_t claim_epoch = 0;
    event_index latest;
};

/// Why a step was not made, or that it had been made before.
result<ops::finish_set::answer> outcome_of_miss(
    const ops::finish_set& step, const standing& found
) {
    if (step.advance_to > found.latest) {
        return errc::invalid_argument;
    }
    if (found.claim_epoch == step.claim_epoch && found.delivered >= step.advance_to) {
        return ops::finish_set::answer{found.delivered};
    }
    return errc::claim_lost;
}

request request_for(const step_batch& batch) {
    column_arrays steps{step_columns};
    column_arrays results{result_columns};
    for (const std::shared_ptr<const ops::finish_set>& step : batch) {
        steps.add(step->room, step->claim_epoch, step->index, step->advance_to);
        for (const ops::row_result& row : step->results) {
            results.add(
                step->room,
                row.id,
                row.state,
                row.attempts,
                row.outcome.provider_message_id,
                row.outcome.error_code,
                row.outcome.error_message,
                row.outcome.is_retryable
            );
        }
    }
    request asked;
    arguments& values = asked.add_unbound(step_text);
    int position = 0;
    for (const column_arrays* const columns : {&steps, &results}) {
        for (int column = 0; column < columns->parameter_count(); ++column) {
            values.bind_text(++position, sql::text_lifetime::copies, columns->text_of(column));
        }
    }
    asked.end_group();
    return asked;
}

sent_steps outcome_of(const step_batch& steps, result<std::vector<answer>> answers) {
    sent_steps outcome;
    if (!answers) {
        outcome.failure = answers.error();
        return outcome;
    }
    if (!answers->front().is_good()) {
        const server_error& why = *answers->front().error;
        log(log_level::error,
            "steps_refused",
            {{"state", why.state}, {"detail", why.text}, {"steps", steps.size()}});
        outcome.failure = why.code;
        outcome.has_offender = !is_worth_repeating(why.state);
        return outcome;
    }
    // A room that is not found has no cursor either.
    outcome.answers.assign(steps.size(), errc::claim_lost);
    sql::query rows{&answers->front().rows};
    while (rows.next()) {
        std::int64_t place = 0;
        std::optional<event_index> stepped;
        standing found;
        rows.read(place, stepped, found.delivered, found.claim_epoch, found.latest);
        const auto which = static_cast<std::size_t>(place - 1);
        outcome.answers[which] = stepped ? ops::finish_set::answer{*stepped}
                                         : outcome_of_miss(*steps[which], found);
    }
    return outcome;
}

}  // namespace

/// Its connection, made anew when it broke.
class step_writer::session {
   public:
    session(loop* where, session_options options) : opener_(*where, std::move(options)) {}

    [[nodiscard]] awaitable<result<std::vector<answer>>> run(request sent) {
        const coroutine_context context = co_await this_context();
        const monotonic_time now = context.where->now();
        if (connection_ == nullptr || connection_->is_broken()) {
            connection_.reset();
            if (now < next_connect_) {
                co_return errc::unavailable;
            }
            next_connect_ = now + between_connects;
            auto opened = co_await opener_.open(session_kind::operations);
            if (!opened) {
                co_return opened.error();
            }
            next_connect_ = {};
            connection_ = std::move(*opened);
        }
        const deadline until{now + longest_write};
        auto answers = co_await with_deadline(until, connection_->run(std::move(sent)));
        if (!answers) {
            co_return errc::outcome_unknown;
        }
        co_return answers;
    }

    void close() noexcept { connection_.reset(); }

   private:
    connector opener_;
    std::unique_ptr<connection> connection_;
    monotonic_time next_connect_{};
};

step_writer::step_writer(loop* where, session_options options)
    : session_(std::make_unique<session>(where, std::move(options))), batches_(*this) {}

step_writer::~step_writer() = default;

awaitable<result<ops::finish_set::answer>> step_writer::write(ops::finish_set step) {
    co_return co_await batches_.write(std::move(step));
}

awaitable<sent_steps> step_writer::send(step_batch steps) {
    auto answers = co_await session_->run(request_for(steps));
    co_return outcome_of(steps, std::move(answers));
}

awaitable<void> step_writer::close() {
    co_await batches_.close();
    session_->close();
}

}  // namespace convene::postgres
