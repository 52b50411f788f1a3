// SPDX-License-Identifier: Apache-2.0
// Session service: the lease, the run, its driver, and what becomes of the turn when the driver can't go on.
#include "agent/session/session_service.hpp"

#include <algorithm>
#include <utility>

#include "agent/session/turn_quarantine.hpp"
#include "agent/session/turn_return.hpp"
#include "base/log.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

driver_parts parts_of(const session_parts& with, id_generator* ids) {
    return {with.where, with.kit, with.streams, ids, with.clock};
}

}  // namespace

/// A request that starts a run: counts itself while it exists, also when its coroutine is dropped.
class session_service::starting_request {
   public:
    explicit starting_request(session_service* of) : of_(*of) { ++of_.starting_; }

    starting_request(const starting_request&) = delete;
    starting_request& operator=(const starting_request&) = delete;

    ~starting_request() {
        --of_.starting_;
        of_.start_ended_.notify_all();
    }

   private:
    session_service& of_;
};

/// A run that this worker drives.
struct session_service::driven_run {
    driven_run(
        driver_parts with,
        session_agent agent,
        const ops::begin_run::answer& begun,
        session_turn of,
        turn_order order
    )
        : run(begun.run),
          turn(of),
          begun_at(with.where->now()),
          is_takeover(begun.is_takeover),
          driver(with, std::move(agent), begun, std::move(of), std::move(order)) {}

    agent_run_record run;
    session_turn turn;
    monotonic_time begun_at;
    bool is_takeover;
    std::chrono::nanoseconds waited{};  ///< its turn, until it began
    session_driver driver;
    cancel_source cancel;
    bool has_starter = false;
    wait_flag starter_done;  ///< it has the end, or is gone
    wait_flag came_back;
    wait_flag ended;
};

session_service::session_service(session_parts with, session_settings settings)
    : with_(std::move(with)),
      settings_(settings),
      ids_(*with_.clock, *with_.random),
      desk_(with_.kit, &ids_),
      runner_(runner_parts(), settings_.concurrency, settings_.poll_interval),
      scope_(*with_.where) {}

session_service::~session_service() = default;

turn_runner::parts session_service::runner_parts() {
    auto run = [this](std::unique_ptr<lease> held, session_turn turn) {
        return run_turn(std::move(held), std::move(turn));
    };
    return {with_.where, with_.kit, with_.locks, with_.clock, &scope_, std::move(run)};
}

awaitable<result<agent_session>> session_service::open(
    organization_id organization, room_id room, channel_id agent, std::string owner
) {
    const result<session_agent> known = with_.agents(agent);
    if (!known) {
        co_return known.error();
    }
    const auto around = co_await with_.kit->get_room(organization, room);
    if (!around) {
        co_return around.error();
    }
    if (around->find_binding(agent) == nullptr) {
        co_return errc::channel_not_registered;
    }
    ops::open_session request{
        std::move(organization), std::move(room), std::move(agent), std::move(owner)
    };
    auto opened = co_await with_.kit->store().run(std::move(request));
    co_return opened;
}

// ---- starting --------------------------------------------------------------------------------------------

awaitable<result<agent_run_record>> session_service::start(
    organization_id organization,
    room_id room,
    turn_order order,
    std::string started_by,
    run_starter starter,
    answers given
) {
    if (is_stopping_) {
        co_return errc::unavailable;
    }
    const starting_request counted{this};
    const deadline until{with_.where->now() + settings_.lease_wait};
    auto acquiring = with_.locks->acquire(name_of_session(organization, room), until);
    auto held = co_await cancelled_by(&stopping_, std::move(acquiring));
    if (is_stopping_) {
        // A lease that came all the same is dropped: its end releases it.
        co_return errc::unavailable;
    }
    if (!held && held.error() == errc::timed_out) {
        ++counted_.refused;
        co_return errc::session_run_in_progress;
    }
    if (!held) {
        co_return held.error();
    }
    std::unique_ptr<lease> lock = *std::move(held);
    auto begun = co_await shielded(start_under(
        &lock,
        std::move(organization),
        std::move(room),
        std::move(order),
        std::move(started_by),
        starter,
        std::move(given)
    ));
    if (lock != nullptr) {
        const result<> released = co_await shielded(lock->release());
        static_cast<void>(released);  // nothing was driven under it
    }
    co_return begun;
}

awaitable<result<agent_run_record>> session_service::start_under(
    std::unique_ptr<lease>* held,
    organization_id organization,
    room_id room,
    turn_order order,
    std::string started_by,
    run_starter starter,
    answers given
) {
    ops::get_session look{organization, room};
    const auto session = co_await with_.kit->store().run(std::move(look));
    if (!session) {
        co_return session.error();
    }
    const result<session_agent> known = with_.agents(session->session.agent);
    if (!known) {
        co_return known.error();
    }
    const result<> readable = co_await check_format(session->session);
    if (!readable) {
        co_return readable.error();
    }
    const std::vector<open_call>& open = session->session.open_calls;
    for (const client_tool_result& one : order.said.results) {
        if (std::ranges::find(open, one.call, &open_call::id) == open.end()) {
            co_return errc::tool_call_not_open;
        }
    }
    auto queued = co_await queue_order(session->session, &order, started_by, std::move(given));
    if (!queued) {
        co_return queued.error();
    }
    auto begun = co_await begin(
        held, *std::move(queued), std::move(order), std::move(started_by), starter
    );
    co_return begun;
}

/// What a newer worker left open is neither gone on with nor ended here: another worker is to be asked.
awaitable<result<>> session_service::check_format(agent_session session) {
    if (session.status != session_status::running) {
        co_return result<>{};
    }
    ops::get_run look{session.organization, session.run};
    const auto run = co_await with_.kit->store().run(std::move(look));
    if (!run) {
        co_return run.error();
    }
    co_return run->format > with_.kit->plan_format() ? result<>{errc::unavailable} : result<>{};
}

awaitable<result<session_turn>> session_service::queue_order(
    agent_session session, turn_order* order, std::string started_by, answers given
) {
    if (!given.decisions.empty()) {
        auto answered = co_await desk_.answer(
            std::move(session), order, std::move(started_by), std::move(given)
        );
        co_return answered;
    }
    if (session.status == session_status::waiting_for_approval) {
        co_return errc::session_awaiting_approval;
    }
    session_turn turn;
    turn.id = ids_.next<turn_id>();
    turn.room = std::move(session.room);
    turn.organization = std::move(session.organization);
    turn.kind = turn_kind::message;
    turn.input = write_turn_order(*order);
    turn.acting_for = std::move(started_by);
    turn.format = with_.kit->plan_format();
    ops::queue_turn request{std::move(turn)};
    auto queued = co_await with_.kit->store().run(std::move(request));
    co_return queued;
}

/// Under the lease: the epoch rises, and the driver starts.
awaitable<result<agent_run_record>> session_service::begin(
    std::unique_ptr<lease>* held,
    session_turn turn,
    turn_order order,
    std::string started_by,
    run_starter starter
) {
    ops::begin_run request;
    request.run.id = turn.run.empty() ? ids_.next<run_id>() : turn.run;
    request.run.room = turn.room;
    request.run.organization = turn.organization;
    request.run.worker = with_.kit->incarnation();
    request.run.started_by = std::move(started_by);
    request.run.turn = turn.id;
    request.run.on_disconnect = order.on_disconnect;
    request.run.format = with_.kit->plan_format();
    ops::begin_run again = request;
    auto begun = co_await with_.kit->store().run(std::move(request));
    if (!begun && begun.error() == errc::already_exists) {
        // The run that it had was ended by somebody who went on with something else.
        again.run.id = ids_.next<run_id>();
        ops::begin_run other = again;
        begun = co_await with_.kit->store().run(std::move(other));
    }
    if (!begun && begun.error() == condition::outcome_unknown) {
        scope_.spawn("beginning in doubt", settle_doubt(std::move(*held), again.run));
    }
    if (!begun) {
        co_return begun.error();
    }
    auto agent = with_.agents(begun->session.agent);
    if (agent && with_.equip) {
        const result<> equipped = co_await with_.equip(begun->session, &*agent);
        if (!equipped) {
            agent = equipped.error();
        }
    }
    if (!agent) {
        ops::requeue_turn back;
        back.turn = turn.id;
        back.epoch = begun->run.epoch;
        back.delay = settings_.poll_interval;
        back.error = agent.error().category() == convene_category()
                         ? name_of(static_cast<errc>(agent.error().value()))
                         : "unavailable";
        ops::requeue_turn later = back;
        const auto queued = co_await with_.kit->store().run(std::move(back));
        if (!queued) {
            scope_.spawn("turn without an agent", give_back(std::move(later)));
        }
        co_return agent.error();
    }
    ++(begun->is_takeover ? counted_.takeovers : counted_.started);
    const std::chrono::nanoseconds waited = with_.clock->now() - turn.queued_at;
    auto one = std::make_shared<driven_run>(
        parts_of(with_, &ids_), *std::move(agent), *begun, std::move(turn), std::move(order)
    );
    // The two clocks may disagree by more than it waited.
    one->waited = std::max(waited, std::chrono::nanoseconds::zero());
    one->has_starter = starter == run_starter::reads;
    runs_[begun->run.id] = one;
    if (begun->run.is_cancel_requested) {
        // Asked for while nobody drove it.
        request_stop(one.get(), stop_reason::cancelled);
    }
    if (with_.equip) {
        // Or while its agent was made ready, when nobody here could hear it.
        ops::get_run look{begun->run.organization, begun->run.id};
        const auto since = co_await with_.kit->store().run(std::move(look));
        if (since && since->is_cancel_requested) {
            request_stop(one.get(), stop_reason::cancelled);
        }
    }
    if (is_stopping_) {
        request_stop(one.get(), stop_reason::handed_over);
    }
    tell_of_session(one->run.organization, one->run.room);
    scope_.spawn("run", drive(std::move(*held), one));
    co_return begun->run;
}

awaitable<void> session_service::settle_doubt(std::unique_ptr<lease> held, agent_run_record begun) {
    const bool is_queued = co_await undo_beginning(with_.kit, &scope_, std::move(begun));
    if (is_queued) {
        with_.announce_turn();
    }
    const result<> released = co_await shielded(held->release());
    static_cast<void>(released);  // nothing was driven under it
    runner_.wake();
}

awaitable<void> session_service::drive(
    std::unique_ptr<lease> held, std::shared_ptr<driven_run> one
) {
    const deadline until{with_.where->now() + settings_.turn_timeout};
    auto timed = with_deadline(until, one->driver.drive());
    auto guarded = cancelled_by(&held->lost(), std::move(timed));
    auto stoppable = cancelled_by(&one->cancel, std::move(guarded));
    const drive_end end = co_await std::move(stoppable);
    switch (end.what) {
        case drive_end::kind::ended:
            count_end(*one, end.run);
            tell_of_session(one->run.organization, one->run.room);
            if (one->has_starter) {
                const deadline patience{with_.where->now() + settings_.starter_patience};
                auto taken = with_deadline(patience, until_set(&one->starter_done));
                const result<> waited = co_await shielded(std::move(taken));
                static_cast<void>(waited);  // who does not take it resumes by its id
            }
            break;
        case drive_end::kind::handed_over:
            ++counted_.handed_over;
            with_.announce_turn();
            break;
        case drive_end::kind::fenced: {
            const bool is_ours = held->state() == lease_state::held;
            ++counted_.fenced;
            log(log_level::warn,
                "run.fenced",
                {{"run", one->run.id.str()}, {"lease", is_ours ? "held" : "lost"}});
            ops::requeue_turn back = is_ours ? refused_turn(one->turn.id, one->run.epoch)
                                             : lost_turn(one->turn.id, one->run.epoch);
            co_await shielded(give_back(std::move(back)));
            break;
        }
    }
    runs_.erase(one->run.id);
    one->ended.set();
    const result<> released = co_await shielded(held->release());
    static_cast<void>(released
    );  // a lost one protects nothing any more: all writes compared the epoch
    runner_.wake();
}

void session_service::count_end(const driven_run& one, const agent_run_record& run) {
    ++counted_.ended[run.status];
    counted_.run_time.add(with_.where->now() - one.begun_at);
    const std::optional<monotonic_time> shown = one.driver.first_stored_at();
    if (shown && !one.is_takeover) {
        counted_.until_first_frame.add(one.waited + (*shown - one.begun_at));
    }
}

void session_service::tell_of_session(const organization_id& organization, const room_id& room)
    const {
    if (with_.announce_session) {
        with_.announce_session(organization, room);
    }
}

awaitable<void> session_service::give_back(ops::requeue_turn back) {
    const bool is_queued = co_await give_turn_back(with_.kit, &scope_, std::move(back));
    if (is_queued) {
        with_.announce_turn();
    }
}

// ---- ending ----------------------------------------------------------------------------------------------

awaitable<result<agent_run_record>> session_service::cancel(
    organization_id organization, run_id run
) {
    ops::request_cancel request{std::move(organization), run};
    auto record = co_await with_.kit->store().run(std::move(request));
    if (!record) {
        co_return record.error();
    }
    if (record->status == run_status::running) {
        hear_cancel(run);
        with_.announce_cancel(*record);
    }
    co_return record;
}

void session_service::hear_cancel(const run_id& run) {
    const auto found = runs_.find(run);
    if (found != runs_.end()) {
        request_stop(found->second.get(), stop_reason::cancelled);
    }
}

awaitable<void> session_service::look_for_cancels() {
    const auto driven = runs_;
    for (const auto& [id, one] : driven) {
        ops::get_run look{one->run.organization, id};
        const auto run = co_await with_.kit->store().run(std::move(look));
        if (run && run->is_cancel_requested) {
            hear_cancel(id);
        }
    }
}

void session_service::request_stop(driven_run* one, stop_reason why) {
    if (!one->cancel.is_requested()) {
        one->driver.set_stop_reason(why);
        one->cancel.request(errc::cancelled);
    }
}

void session_service::starter_came_back(const run_id& run) {
    const auto found = runs_.find(run);
    if (found != runs_.end()) {
        found->second->came_back.set();
    }
}

void session_service::starter_took_end(const run_id& run) {
    const auto found = runs_.find(run);
    if (found != runs_.end()) {
        found->second->starter_done.set();
    }
}

void session_service::starter_left(const run_id& run) {
    const auto found = runs_.find(run);
    if (found == runs_.end()) {
        return;
    }
    driven_run& one = *found->second;
    one.starter_done.set();
    switch (one.run.on_disconnect) {
        case disconnect_policy::cancel:
            request_stop(&one, stop_reason::cancelled);
            break;
        case disconnect_policy::detach:
            break;
        case disconnect_policy::grace:
            one.came_back.reset();
            scope_.spawn("grace", end_after_grace(run));
            break;
    }
}

awaitable<void> session_service::end_after_grace(run_id run) {
    const auto found = runs_.find(run);
    if (found == runs_.end()) {
        co_return;
    }
    const std::shared_ptr<driven_run> one = found->second;
    const deadline until{with_.where->now() + settings_.grace};
    auto waiting = with_deadline(until, until_set(&one->came_back));
    const result<> back = co_await std::move(waiting);
    if (!back && back.error() == errc::timed_out) {
        request_stop(one.get(), stop_reason::cancelled);
    }
}

awaitable<void> session_service::stop() {
    is_stopping_ = true;
    runner_.stop_taking();
    stopping_.request(errc::cancelled);
    while (starting_ != 0) {
        const result<> ended = co_await shielded(until_set(&start_ended_));
        static_cast<void>(ended);  // shielded: it can only be the flag itself
    }
    const auto driven = runs_;
    for (const auto& [id, one] : driven) {
        request_stop(one.get(), stop_reason::handed_over);
    }
    scope_.request_stop();
    co_await shielded(scope_.join());
}

// ---- approvals --------------------------------------------------------------------------------------------

awaitable<result<ops::decide_approvals::answer>> session_service::decide(
    organization_id organization, room_id room, answers given
) {
    const organization_id asked_by = organization;
    const room_id asked_in = room;
    auto decided = co_await desk_.decide(
        std::move(organization), std::move(room), std::move(given)
    );
    if (decided && decided->queued) {
        turn_was_queued();
    }
    if (decided) {
        tell_of_session(asked_by, asked_in);
    }
    co_return decided;
}

/// What nobody decides in time ends by itself.
awaitable<void> session_service::watch_approvals() {
    for (;;) {
        const result<> slept = co_await sleep_for(settings_.poll_interval);
        if (!slept) {
            co_return;
        }
        const bool has_queued = co_await desk_.expire();
        if (has_queued) {
            turn_was_queued();
        }
    }
}

// ---- the runner ------------------------------------------------------------------------------------------

void session_service::start_runner() {
    runner_.start();
    scope_.spawn("approvals", watch_approvals());
}

awaitable<result<session_turn>> session_service::queue(
    session_turn turn, std::chrono::milliseconds delay
) {
    if (turn.id.empty()) {
        turn.id = ids_.next<turn_id>();
    }
    turn.format = with_.kit->plan_format();
    ops::queue_turn request{std::move(turn), delay};
    auto queued = co_await with_.kit->store().run(std::move(request));
    if (queued) {
        turn_was_queued();
        tell_of_session(queued->organization, queued->room);
    }
    co_return queued;
}

awaitable<result<session_turn>> session_service::cancel_wake(ops::cancel_wake which) {
    auto removed = co_await shielded(with_.kit->store().run(std::move(which)));
    if (removed) {
        tell_of_session(removed->organization, removed->room);
    }
    co_return removed;
}

awaitable<result<session_turn>> session_service::retry(ops::retry_turn which) {
    auto queued = co_await shielded(with_.kit->store().run(std::move(which)));
    if (queued) {
        turn_was_queued();
    }
    co_return queued;
}

void session_service::turn_was_queued() {
    runner_.wake();
    with_.announce_turn();
}

awaitable<void> session_service::run_turn(std::unique_ptr<lease> held, session_turn turn) {
    result<turn_order> order = read_turn_order(turn.input);
    const session_turn due = turn;
    if (!order || turn.attempts >= settings_.most_attempts) {
        std::string reason = order ? "too_many_attempts" : "corrupt_input";
        auto aside = co_await shielded(
            set_aside(with_.kit, with_.streams, std::move(turn), std::move(reason))
        );
        if (aside) {
            ++counted_.quarantined;
            tell_of_session(aside->organization, aside->room);
        }
    } else {
        std::string by = turn.acting_for;
        auto begun = co_await shielded(
            begin(&held, std::move(turn), *std::move(order), std::move(by), run_starter::leaves)
        );
        const auto found = begun ? runs_.find(begun->id) : runs_.end();
        if (found != runs_.end()) {
            // The slot is taken for as long as it is driven.
            const std::shared_ptr<driven_run> one = found->second;
            const result<> waited = co_await until_set(&one->ended);
            static_cast<void>(waited);  // cut off, its driver is as well
        }
    }
    if (held != nullptr) {
        const result<> released = co_await shielded(held->release());
        static_cast<void>(released);  // nothing was driven under it
        co_await pause_where_still_due(with_.kit, due);
    }
}

}  // namespace convene
