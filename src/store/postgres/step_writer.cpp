// SPDX-License-Identifier: Apache-2.0
// Steps: the statement, who sends it, and what its answers mean.
#include "store/postgres/step_writer.hpp"

#include <algorithm>
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

/// What one transaction holds: others wait for all of it.
constexpr std::size_t max_steps = 64;

/// Longer than a statement may run: a server that has not answered by then does not answer any more.
constexpr std::chrono::seconds longest_write{45};

constexpr std::chrono::milliseconds between_connects{250};

/// The cursor's move drives the results: a step that misses its compare stores nothing (D7). What follows the step is read
/// by the same statement: whom the room waits for next, or nobody, and then the cursor goes on to the end (events that
/// were deleted for good have nobody to wait for).
constexpr std::string_view step_text =
    "WITH g AS (SELECT * FROM unnest((?1)::text[], (?2)::bigint[], (?3)::bigint[], (?4)::bigint[])"
    " WITH ORDINALITY AS u(room, epoch, first, last, place)),"
    " s AS (UPDATE room_cursors c SET takeovers = 0, waits_for = CASE WHEN n.is_open THEN NULL ELSE"
    " n.committed_by END, delivered_index = CASE WHEN n.committed_by IS NULL THEN greatest(g.last, "
    "r.latest_index) ELSE g.last END"
    " FROM g JOIN rooms r ON r.id = g.room LEFT JOIN LATERAL (SELECT e.committed_by, EXISTS"
    " (SELECT 1 FROM deliveries o WHERE o.room_id = e.room_id AND o.\"index\" = e.\"index\" AND"
    " o.event_id = e.id AND o.state < 3) AS is_open FROM events e WHERE e.room_id = g.room AND "
    "e.\"index\" > g.last ORDER BY e.\"index\" LIMIT 1) n ON true"
    " WHERE c.room_id = g.room AND c.claim_epoch = g.epoch AND c.delivered_index = g.first - 1"
    " AND g.last <= r.latest_index RETURNING c.room_id, c.delivered_index),"
    " d AS (UPDATE deliveries d SET state = u.state, attempts = u.attempts, provider_message_id ="
    " u.provider_message_id, error_code = u.error_code, error_message = u.error_message,"
    " is_retryable = u.is_retryable FROM unnest((?5)::text[], (?6)::text[], (?7)::bigint[],"
    " (?8)::bigint[], (?9)::text[], (?10)::text[], (?11)::text[], (?12)::bigint[]) AS u(room, id,"
    " state, attempts, provider_message_id, error_code, error_message, is_retryable) JOIN s ON"
    " s.room_id = u.room WHERE d.room_id = u.room AND d.id = u.id AND d.state < 3)"
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

}  // namespace

// -- who waits, and what for -------------------------------------------------------------------------

struct step_writer::waiting {
    explicit waiting(ops::finish_set wanted) : step(std::move(wanted)) {}

    const ops::finish_set step;
    std::optional<result<ops::finish_set::answer>> outcome;
    bool is_alone = false;  ///< it, or another of its batch, can't be stored
    wait_flag woken;        ///< it has its outcome, or it is its turn to write
};

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
    : session_(std::make_unique<session>(where, std::move(options))) {}

step_writer::~step_writer() = default;

bool step_writer::can_write(const ops::finish_set& step) noexcept {
    return step.deferred.empty() && step.notices.empty() && !step.skip &&
           step.index <= step.advance_to;
}

awaitable<result<ops::finish_set::answer>> step_writer::write(ops::finish_set step) {
    if (is_closing_) {
        co_return errc::unavailable;
    }
    const calls_under_way::one counted{calls_};
    co_return co_await shielded(wait_or_write(std::move(step)));
}

/// Whoever finds nobody writing writes for all who wait, then passes the turn on: to one that came meanwhile.
awaitable<result<ops::finish_set::answer>> step_writer::wait_or_write(ops::finish_set step) {
    const auto mine = std::make_shared<waiting>(std::move(step));
    queue_.push_back(mine);
    while (!mine->outcome) {
        if (std::exchange(is_writing_, true)) {
            mine->woken.reset();
            const result<> waited = co_await mine->woken.wait();
            static_cast<void>(waited);  // shielded: only the flag ends it
            continue;
        }
        co_await write_next();
        is_writing_ = false;
        if (!queue_.empty()) {
            queue_.front()->woken.set();
        }
    }
    co_return *std::move(mine->outcome);
}

/// One step a room: the next one of the same room compares with what this one has stored.
step_writer::batch step_writer::take_batch() {
    batch taken;
    std::deque<std::shared_ptr<waiting>> left;
    for (std::shared_ptr<waiting>& next : queue_) {
        const bool has_its_room = std::ranges::any_of(taken, [&next](const auto& other) {
            return other->step.room == next->step.room;
        });
        const bool is_apart = !taken.empty() && (next->is_alone || taken.front()->is_alone);
        const bool fits = taken.size() < max_steps && !has_its_room && !is_apart;
        if (fits) {
            taken.push_back(std::move(next));
        } else {
            left.push_back(std::move(next));
        }
    }
    queue_ = std::move(left);
    return taken;
}

awaitable<void> step_writer::write_next() {
    const batch sent = take_batch();
    column_arrays steps{step_columns};
    column_arrays results{result_columns};
    for (const std::shared_ptr<waiting>& one : sent) {
        const ops::finish_set& step = one->step;
        steps.add(step.room, step.claim_epoch, step.index, step.advance_to);
        for (const ops::row_result& row : step.results) {
            results.add(
                step.room,
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
    auto answers = co_await session_->run(std::move(asked));
    take_answers(sent, std::move(answers));
}

void step_writer::take_answers(const batch& sent, result<std::vector<answer>> answers) {
    const bool is_stored = answers && answers->front().is_good();
    const bool has_others = sent.size() > 1;
    if (answers && !is_stored) {
        const server_error& why = *answers->front().error;
        log(log_level::error,
            "steps_refused",
            {{"state", why.state}, {"detail", why.text}, {"steps", sent.size()}});
        if (has_others && !is_worth_repeating(why.state)) {
            // One that can't be stored must not keep the others from it.
            for (const std::shared_ptr<waiting>& one : sent) {
                one->is_alone = true;
                queue_.push_back(one);
            }
            return;
        }
    }
    const error_code failure = !answers     ? answers.error()
                               : !is_stored ? make_error_code(answers->front().error->code)
                                            : error_code{};
    for (const std::shared_ptr<waiting>& one : sent) {
        // A room that is not found has no cursor either.
        one->outcome = failure ? failure : make_error_code(errc::claim_lost);
    }
    if (is_stored) {
        sql::query rows{&answers->front().rows};
        while (rows.next()) {
            std::int64_t place = 0;
            std::optional<event_index> stepped;
            standing found;
            rows.read(place, stepped, found.delivered, found.claim_epoch, found.latest);
            waiting& one = *sent[static_cast<std::size_t>(place - 1)];
            one.outcome = stepped ? ops::finish_set::answer{*stepped}
                                  : outcome_of_miss(one.step, found);
        }
    }
    for (const std::shared_ptr<waiting>& one : sent) {
        one->woken.set();
    }
}

awaitable<void> step_writer::close() {
    is_closing_ = true;
    co_await shielded(calls_.until_none());
    session_->close();
}

}  // namespace convene::postgres
