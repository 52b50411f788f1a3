// SPDX-License-Identifier: Apache-2.0
// One round trip at a time: questions first, then the board, then waiting for what others say.
#include "lease/postgres/lease_bus.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "postgres/arrays.hpp"

namespace convene::postgres {

namespace {

using namespace std::chrono_literals;

constexpr auto between_connects = 250ms;

std::int64_t age_in_us(monotonic_time since, monotonic_time now) {
    return std::chrono::duration_cast<std::chrono::microseconds>(now - since).count();
}

/// What has changed, in one transaction. Times are the database's own: what is sent is how old a lease is.
void add_board_changes(
    request* sent,
    const incarnation_id& self,
    const lease_board::changes& changed,
    monotonic_time now
) {
    if (changed.starts_over) {
        add_board_removal(sent, self);
    }
    if (!changed.removed.empty()) {
        array_text keys;
        for (const std::int64_t key : changed.removed) {
            keys.add_number(key);
        }
        sent->add(
            "DELETE FROM lease_info WHERE incarnation = ?1 AND key = ANY((?2)::bigint[])",
            self,
            keys.text()
        );
    }
    if (changed.written.empty()) {
        return;
    }
    constexpr int columns = 9;
    column_arrays rows{columns};
    for (const shown_lease& one : changed.written) {
        rows.add(
            one.name.key(),
            one.name.display(),
            word_of(one.name.kind()),
            one.name.organization(),
            one.name.id(),
            one.name.purpose(),
            age_in_us(one.since, now),
            one.is_held,
            one.waiters
        );
    }
    arguments& values = sent->add_unbound(
        "INSERT INTO lease_info (incarnation, key, name, kind, organization, id, purpose, since,"
        " is_held, waiters)"
        " SELECT ?1, n.key, n.name, n.kind, n.organization, n.id, n.purpose,"
        " (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - n.age, n.is_held, n.waiters"
        " FROM unnest(" +
        rows.parameters(2) +
        ") AS n (key, name, kind, organization, id, purpose, age, is_held, waiters)"
        " ON CONFLICT (incarnation, key) DO UPDATE SET name = EXCLUDED.name, kind = EXCLUDED.kind,"
        " organization = EXCLUDED.organization, id = EXCLUDED.id, purpose = EXCLUDED.purpose,"
        " since = EXCLUDED.since, is_held = EXCLUDED.is_held, waiters = EXCLUDED.waiters"
    );
    values.bind_text(1, sql::text_lifetime::copies, self.str());
    for (int column = 0; column < columns; ++column) {
        values.bind_text(column + 2, sql::text_lifetime::copies, rows.text_of(column));
    }
}

}  // namespace

void add_board_removal(request* sent, const incarnation_id& worker) {
    sent->add("DELETE FROM lease_info WHERE incarnation = ?1", worker);
}

// -- what callers ask --------------------------------------------------------------------------------

awaitable<result<std::vector<answer>>> lease_bus::ask(request sent) {
    if (has_ended_) {
        co_return errc::unavailable;
    }
    auto asked = std::make_shared<question>();
    asked->sent = std::move(sent);
    questions_.push_back(asked);
    if (waiting_ != nullptr) {
        waiting_->request(errc::cancelled);
    }
    const result<> waited = co_await asked->done.wait();
    if (!waited) {
        asked->is_wanted = false;
        co_return waited.error();
    }
    co_return std::move(asked->answers);
}

awaitable<result<std::vector<board_line>>> lease_bus::read_others() {
    request read;
    // Who is dead holds nothing, whatever still stands there.
    read.add(
        "SELECT i.kind, i.organization, i.id, i.incarnation, w.host, i.is_held, i.waiters,"
        " (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - i.since FROM lease_info i"
        " JOIN workers w ON w.incarnation = i.incarnation WHERE w.state <> 3 AND i.incarnation <>"
        " ?1",
        parts_.self
    );
    auto answers = co_await ask(std::move(read));
    if (!answers) {
        co_return answers.error();
    }
    if (!answers->front().is_good()) {
        co_return answers->front().error->code;
    }
    const monotonic_time now = parts_.where->now();
    std::vector<board_line> lines;
    sql::query rows{&answers->front().rows};
    while (rows.next()) {
        std::string kind;
        organization_id organization;
        std::string id;
        incarnation_id worker;
        std::string host;
        bool is_held = false;
        std::int64_t waiters = 0;
        std::int64_t age = 0;
        rows.read(kind, organization, id, worker, host, is_held, waiters, age);
        // A newer worker may hold what this one has no word for.
        if (const std::optional<lease_kind> known = lease_kind_of(kind)) {
            shown_lease shown{
                lease_name{*known, std::move(organization), std::move(id)},
                is_held,
                now - std::chrono::microseconds{age},
                static_cast<std::size_t>(waiters)
            };
            lines.push_back({std::move(shown), std::move(worker), std::move(host)});
        }
    }
    co_return std::move(lines);
}

awaitable<result<>> lease_bus::leave_board() {
    if (!board_.has_written()) {
        co_return result<>{};
    }
    request leave;
    add_board_removal(&leave, parts_.self);
    const auto answers = co_await ask(std::move(leave));
    co_return answers ? result<>{} : result<>{answers.error()};
}

// -- the connection ----------------------------------------------------------------------------------

awaitable<void> lease_bus::run() {
    for (;;) {
        const coroutine_context context = co_await this_context();
        if (!context.check_cancelled()) {
            break;
        }
        auto opened = co_await parts_.opener->open(session_kind::leases);
        if (opened) {
            co_await serve(opened->get());
        }
        is_open_ = false;
        refuse_questions();
        const result<> slept = co_await sleep_for(between_connects);
        static_cast<void>(slept);  // a cancelled one ends the loop above
    }
    has_ended_ = true;
    refuse_questions();
}

/// Until the connection is lost or the bus is stopped.
awaitable<void> lease_bus::serve(connection* open) {
    request listen;
    listen.add("LISTEN convene_wanted");
    listen.add("LISTEN convene_released");
    listen.add("LISTEN convene_revoke");
    listen.add("LISTEN convene_revoked");
    const auto listening = co_await open->run(std::move(listen));
    if (!listening || !listening->back().is_good()) {
        co_return;
    }
    is_open_ = true;
    // The board does not outlive a crash of the server.
    board_.start_over();
    for (;;) {
        const result<> answered = co_await answer_questions(open);
        if (!answered) {
            co_return;
        }
        const result<> shown = co_await update_board(open);
        if (!shown) {
            co_return;
        }
        hear_all(open->take_notifications());
        if (!questions_.empty()) {
            continue;
        }
        cancel_source interrupt;
        waiting_ = &interrupt;
        const deadline next{board_.next_look()};
        auto waiting = cancelled_by(&interrupt, open->wait_for_notifications());
        const auto came = co_await with_deadline(next, std::move(waiting));
        waiting_ = nullptr;
        if (came) {
            hear_all(*came);
        } else if (came.error() != errc::timed_out && !interrupt.is_requested()) {
            co_return;
        }
    }
}

awaitable<result<>> lease_bus::answer_questions(connection* open) {
    while (!questions_.empty()) {
        const std::shared_ptr<question> next = questions_.front();
        questions_.pop_front();
        if (!next->is_wanted) {
            continue;
        }
        next->answers = co_await open->run(std::move(next->sent));
        next->done.set();
        if (!next->answers) {
            co_return next->answers.error();
        }
    }
    co_return result<>{};
}

awaitable<result<>> lease_bus::update_board(connection* open) {
    const monotonic_time now = parts_.where->now();
    if (now < board_.next_look()) {
        co_return result<>{};
    }
    const lease_board::changes changed = board_.look(parts_.show(), now);
    if (changed.is_empty()) {
        co_return result<>{};
    }
    request sent;
    add_board_changes(&sent, parts_.self, changed, now);
    const auto answers = co_await open->run(std::move(sent));
    if (!answers) {
        co_return answers.error();
    }
    const bool is_written = answers->back().is_good();
    if (!is_written) {
        log(log_level::debug, "leases_not_shown", {{"error", answers->back().error->code}});
        board_.start_over();
    }
    co_return result<>{};
}

void lease_bus::hear_all(const std::vector<notification>& came) {
    std::ranges::for_each(came, parts_.hear);
}

void lease_bus::refuse_questions() {
    for (const std::shared_ptr<question>& one : std::exchange(questions_, {})) {
        one->done.set();
    }
}

}  // namespace convene::postgres
