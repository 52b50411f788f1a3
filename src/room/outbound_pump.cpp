// SPDX-License-Identifier: Apache-2.0
// Outbound pump: who leads, what is due, and what becomes of each item.
#include "room/outbound_pump.hpp"

#include <algorithm>
#include <utility>

#include "base/json_writer.hpp"
#include "base/log.hpp"
#include "channel/channel_registry.hpp"
#include "channel/outbound_order.hpp"
#include "room/lane_entry.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

constexpr std::size_t most_at_once = 16;  ///< destinations delivered to at the same time
constexpr std::size_t looked_at = 128;    ///< due heads read in one go; some are busy or somebody
                                          ///< else's
constexpr std::size_t most_wake_times = 1024;  ///< beyond it the poll finds what is due
constexpr std::chrono::milliseconds poll_interval{1'000};
constexpr std::chrono::milliseconds patience{1'000};  ///< waited for in place instead of through
                                                      ///< the store
constexpr std::chrono::milliseconds leadership_retry{1'000};
constexpr std::chrono::milliseconds rest_after_error{1'000};
constexpr std::chrono::milliseconds rest_for_owner{10'000};
constexpr std::chrono::milliseconds rest_for_newer{10'000};
constexpr std::chrono::milliseconds leadership_left_to_newer{5'000};
constexpr std::chrono::milliseconds first_persist_delay{50};
constexpr std::chrono::milliseconds longest_persist_delay{5'000};

constexpr std::chrono::milliseconds doubt{10'000};  ///< waited for a verdict on an attempt's worker

/// The last error of an item whose attempt has begun, with the worker that makes it behind it. Read again, it says that
/// the attempt never ended.
constexpr std::string_view interrupted = "interrupted: ";

awaitable<result<>> until_woken(wait_flag* flag) { co_return co_await flag->wait(); }

destination destination_of(const outbound_item& item) { return {item.channel, item.address}; }

delivery_row row_of(const outbound_item& item) {
    delivery_row row;
    row.id = item.delivery;
    row.event = item.event;
    row.room = item.room;
    row.index = item.index;
    row.channel = item.channel;
    row.address = item.address;
    row.attempts = item.attempts;
    return row;
}

target_outcome failed_without_attempt(
    const outbound_item& item, const char* code, const char* text
) {
    target_outcome outcome;
    outcome.state = delivery_state::failed;
    outcome.attempts = item.attempts;
    outcome.outcome = send_result::failed_for_good(code, text).outcome;
    return outcome;
}

std::string interrupted_by(const incarnation_id& maker) {
    return std::string{interrupted} + maker.str();
}

/// Who began the attempt that has no end; unset: there is none.
std::optional<incarnation_id> beginner_of(const outbound_item& item) {
    if (!item.last_error.starts_with(interrupted)) {
        return std::nullopt;
    }
    return incarnation_id{item.last_error.substr(interrupted.size())};
}

framework_event dead_letter(const outbound_item& item, const target_outcome& outcome) {
    json_writer data;
    data.begin_object();
    data.key("delivery").string(item.delivery.str());
    data.key("channel").string(item.channel.str());
    data.key("address").string(item.address);
    data.key("attempts").integer(outcome.attempts);
    data.key("error_code").string(outcome.outcome.error_code);
    data.end_object();

    framework_event notice;
    notice.type = "outbound_dead_letter";
    notice.room = item.room;
    notice.event = item.event;
    notice.data = data.take();
    return notice;
}

}  // namespace

outbound_pump::outbound_pump(parts given)
    : parts_(std::move(given)), deliveries_(*parts_.where), loops_(*parts_.where) {}

outbound_pump::~outbound_pump() = default;

awaitable<result<>> outbound_pump::start(incarnation_id me) {
    me_ = std::move(me);
    const result<> known = co_await parts_.order->refresh();
    if (!known) {
        co_return known.error();
    }
    loops_.spawn("outbound.lead", keep_leadership());
    loops_.spawn("outbound.pump", keep_pumping());
    co_return result<>{};
}

awaitable<void> outbound_pump::stop(deadline until) {
    loops_.request_stop();
    co_await loops_.join();
    co_await with_deadline(until, deliveries_.join());
    // Released only now: nothing runs under it any more.
    const std::shared_ptr<lease> led = std::exchange(leader_, nullptr);
    if (led != nullptr) {
        const result<> released = co_await led->release();
        static_cast<void>(released);  // lost: then it is somebody else's already
    }
}

void outbound_pump::notify_deferred(const std::vector<outbound_item>& items) {
    const wall_time now = parts_.clock->now();
    for (const outbound_item& item : items) {
        parts_.order->added(destination_of(item));
        wake_at(parts_.where->now() + (item.not_before - now));
    }
    wake_.set();
}

awaitable<void> outbound_pump::keep_leadership() {
    while (!loops_.is_stopping()) {
        auto acquired = co_await parts_.locks->acquire(
            lease_name::leader("outbound"), deadline::never()
        );
        if (!acquired) {
            const result<> waited = co_await sleep_for(leadership_retry);
            static_cast<void>(waited);  // cancelled: the loop ends
            continue;
        }
        const std::shared_ptr<lease> mine = std::move(*acquired);
        leader_ = mine;
        wake_.set();

        outranked_.reset();
        const result<> outranked = co_await cancelled_by(&mine->lost(), until_woken(&outranked_));
        if (outranked) {
            co_await step_down(mine);
            continue;
        }
        // On a stop it is kept until the deliveries have ended.
        if (!loops_.is_stopping()) {
            log(log_level::warn, "outbound_leadership_lost");
            leader_.reset();
        }
    }
}

/// Lets end what is under way, and leaves the lease alone for a while. Without a newer worker it is taken again, and
/// what this one can deliver goes on.
awaitable<void> outbound_pump::step_down(std::shared_ptr<lease> mine) {
    is_stepping_down_ = true;
    while (!busy_.empty()) {
        idle_.reset();
        const result<> waited = co_await idle_.wait();
        if (!waited) {
            co_return;  // stopping: `stop` releases the lease
        }
    }
    log(log_level::info, "outbound_left_to_newer_worker");
    leader_.reset();
    const result<> released = co_await shielded(mine->release());
    static_cast<void>(released);  // lost: then it is somebody else's already
    is_stepping_down_ = false;
    const result<> waited = co_await sleep_for(leadership_left_to_newer);
    static_cast<void>(waited);  // cancelled: the loop ends
}

awaitable<void> outbound_pump::keep_pumping() {
    while (!loops_.is_stopping()) {
        co_await look_for_work();
        co_await wait_for_work();
    }
}

awaitable<void> outbound_pump::look_for_work() {
    std::erase_if(resting_, [now = parts_.where->now()](const auto& entry) {
        return entry.second <= now;
    });
    ops::take_due_outbound due;
    due.limit = looked_at;
    const auto heads = co_await parts_.store->run(due);
    if (!heads || loops_.is_stopping()) {
        co_return;  // the poll tries again
    }
    for (const outbound_item& item : *heads) {
        if (busy_.size() < most_at_once && may_take(item)) {
            busy_.insert(destination_of(item));
            deliveries_.spawn("outbound.deliver", handle(item));
        }
    }
    // Only the list tells what is drained, here or by another worker. It is long when much waits: while
    // deliveries are under way it is read now and then.
    const monotonic_time now = parts_.where->now();
    if (parts_.order->size() != 0 && (busy_.empty() || must_list_at_ <= now)) {
        must_list_at_ = now + poll_interval;
        const result<> refreshed = co_await parts_.order->refresh();
        static_cast<void>(refreshed);  // the poll tries again
    }
}

awaitable<void> outbound_pump::wait_for_work() {
    const monotonic_time now = parts_.where->now();
    wake_times_.erase(wake_times_.begin(), wake_times_.upper_bound(now));
    deadline until{now + poll_interval};
    if (!wake_times_.empty()) {
        until = until.sooner(deadline{*wake_times_.begin()});
    }
    const result<> woken = co_await with_deadline(until, until_woken(&wake_));
    static_cast<void>(woken);  // due, woken or stopping: the loop looks
    wake_.reset();
}

bool outbound_pump::is_bound(const channel_id& channel) const {
    const auto registered = parts_.channels->find(channel);
    return registered != nullptr && registered->is_bound_to_process();
}

bool outbound_pump::is_leading() const {
    return leader_ != nullptr && leader_->state() == lease_state::held;
}

bool outbound_pump::may_take(const outbound_item& item) const {
    const destination to = destination_of(item);
    if (is_stepping_down_ || busy_.contains(to) || resting_.contains(to)) {
        return false;
    }
    return is_leading() || is_bound(item.channel);
}

awaitable<void> outbound_pump::handle(outbound_item item) {
    const destination to = destination_of(item);
    if (is_bound(item.channel)) {
        co_await handle_bound(std::move(item));
    } else {
        co_await handle_as_leader(std::move(item));
    }
    busy_.erase(to);
    if (busy_.empty()) {
        idle_.set();
    }
    wake_.set();
}

awaitable<void> outbound_pump::handle_bound(outbound_item item) {
    const auto owner = co_await owner_of(item);
    if (!owner) {
        rest(item, rest_after_error);
    } else if (*owner == ownership::ours) {
        co_await deliver(std::move(item), nullptr);
    } else if (*owner == ownership::orphaned && is_leading()) {
        co_await skip(std::move(item), "bound");
    } else {
        rest(item, rest_for_owner);
    }
}

awaitable<void> outbound_pump::handle_as_leader(outbound_item item) {
    const std::shared_ptr<lease> leader = leader_;
    if (leader == nullptr) {
        co_return;
    }
    auto is_held = [leader] { return leader->state() == lease_state::held; };
    auto work = deliver(std::move(item), std::move(is_held));
    co_await cancelled_by(&leader->lost(), std::move(work));
}

awaitable<result<outbound_pump::ownership>> outbound_pump::owner_of(outbound_item item) {
    ops::list_deliveries of_event{item.room, item.event};
    const auto rows = co_await parts_.store->run(std::move(of_event));
    if (!rows) {
        co_return rows.error();
    }
    const auto row = std::ranges::find(*rows, item.delivery, &delivery_row::id);
    if (row == rows->end() || row->committed_by == me_) {
        co_return ownership::ours;
    }
    const ops::list_workers all;
    const auto workers = co_await parts_.store->run(all);
    if (!workers) {
        co_return workers.error();
    }
    const auto owner = std::ranges::find(
        *workers, row->committed_by, &ops::worker_row::incarnation
    );
    const bool is_dead = owner != workers->end() && owner->state == ops::worker_state::dead;
    co_return is_dead ? ownership::orphaned : ownership::someone_elses;
}

/// Whether a plan that this worker committed is of a format that is read here.
awaitable<result<bool>> outbound_pump::reads_plans_of(incarnation_id committer) {
    if (!formats_.contains(committer)) {
        const ops::list_workers all;
        const auto workers = co_await parts_.store->run(all);
        if (!workers) {
            co_return workers.error();
        }
        for (const ops::worker_row& worker : *workers) {
            formats_.insert_or_assign(worker.incarnation, worker.format);
        }
    }
    const auto known = formats_.find(committer);
    co_return known == formats_.end() || known->second <= parts_.plan_format;
}

awaitable<void> outbound_pump::deliver(outbound_item item, std::function<bool()> may_start) {
    auto loaded = co_await load(item);
    if (!loaded && loaded.error() == errc::not_found) {
        co_await skip(std::move(item), "event_deleted");
        co_return;
    }
    if (!loaded) {
        rest(item, rest_after_error);
        co_return;
    }
    const auto is_readable = co_await reads_plans_of(loaded->event.committed_by);
    if (!is_readable) {
        rest(item, rest_after_error);
        co_return;
    }
    if (!*is_readable) {
        rest(item, rest_for_newer);
        outranked_.set();
        co_return;
    }
    if (!loaded->binding) {
        auto outcome = failed_without_attempt(
            item, "channel_detached", "the channel left the room"
        );
        co_await record(std::move(item), std::move(loaded->organization), std::move(outcome));
        co_return;
    }
    const auto counted = co_await counted_attempts(item);
    if (!counted) {
        rest(item, rest_after_error);
        co_return;
    }
    const bool took_its_worker = beginner_of(item) && *counted == item.attempts;
    if (took_its_worker && *counted > parts_.runner->retry_of(*loaded->binding).max_retries) {
        auto outcome = failed_without_attempt(
            item,
            "poison",
            "no attempt is left, and the last one ended with the worker that made it"
        );
        co_await record(std::move(item), std::move(loaded->organization), std::move(outcome));
        co_return;
    }
    auto cause = co_await cause_of(item, loaded->organization, loaded->event);
    if (!cause) {
        rest(item, rest_after_error);
        co_return;
    }
    // From here on nothing but the attempt itself: what ends between is taken for one that took its worker with it.
    std::string begun_by = interrupted_by(me_);
    const bool is_noted = co_await note(&item, *counted + 1, std::move(begun_by));
    if (!is_noted) {
        rest(item, rest_after_error);
        co_return;
    }
    delivery_target target;
    target.row = row_of(item);
    target.row.attempts = *counted;
    target.cause = *std::move(cause);
    target.event = std::move(loaded->event);
    target.binding = std::move(*loaded->binding);
    target.wait_until = deadline{parts_.where->now() + patience};
    target.may_start = std::move(may_start);
    auto outcome = co_await parts_.runner->run_head(std::move(target));
    if (!outcome) {
        // Cancelled: it stays the head, and nothing happened that counts.
        std::string no_error;
        const bool is_given_back = co_await shielded(note(&item, *counted, std::move(no_error)));
        static_cast<void>(is_given_back);  // else whoever reads it finds this worker alive
        co_return;
    }
    co_await record(std::move(item), std::move(loaded->organization), std::move(*outcome));
}

/// How many attempts an item has used up. One that has no end counts if its worker is dead. While that is in doubt:
/// `unavailable`.
awaitable<result<std::int32_t>> outbound_pump::counted_attempts(outbound_item item) {
    const destination to = destination_of(item);
    const std::optional<incarnation_id> beginner = beginner_of(item);
    std::int32_t counted = item.attempts;
    if (beginner == me_) {
        counted -= 1;
    } else if (beginner) {
        const ops::list_workers all;
        const auto workers = co_await parts_.store->run(all);
        if (!workers) {
            co_return workers.error();
        }
        const auto found = std::ranges::find(*workers, *beginner, &ops::worker_row::incarnation);
        const bool is_dead = found != workers->end() && found->state == ops::worker_state::dead;
        const monotonic_time now = parts_.where->now();
        const auto since = in_doubt_.try_emplace(to, now).first->second;
        if (!is_dead && now - since < doubt) {
            co_return errc::unavailable;
        }
        counted -= is_dead ? 0 : 1;
    }
    in_doubt_.erase(to);
    co_return counted;
}

/// Nobody waits for it any more, so what it leads to is not staged.
awaitable<result<std::optional<event_cause>>> outbound_pump::cause_of(
    outbound_item item, organization_id organization, room_event event
) {
    const std::shared_ptr<channel> to = parts_.channels->find(item.channel);
    if (to == nullptr || !to->carries_causes() || parts_.hooks == nullptr) {
        co_return std::optional<event_cause>{};
    }
    ops::list_deliveries of_event{item.room, item.event};
    const auto rows = co_await parts_.store->run(std::move(of_event));
    if (!rows) {
        co_return rows.error();
    }
    const std::size_t sharers = count_budget_sharers(*rows, *parts_.hooks, *parts_.channels);
    std::vector<room_id> nobody;
    co_return std::optional{
        make_delivery_cause(organization, event, row_of(item), sharers, std::move(nobody))
    };
}

/// An attempt counts when it begins. One that takes its worker with it has then used up a retry all the same.
/// False: it could not be noted, or another worker has the item by now.
awaitable<bool> outbound_pump::note(
    outbound_item* item, std::int32_t attempts, std::string last_error
) {
    ops::finish_outbound request;
    request.id = item->id;
    request.seen_attempts = item->attempts;
    request.result.id = item->delivery;
    request.result.state = delivery_state::deferred;
    request.result.attempts = attempts;
    request.result.outcome.error_message = std::move(last_error);
    request.retry_at = item->not_before;
    const auto noted = co_await parts_.store->run(std::move(request));
    if (!noted || !*noted) {
        co_return false;
    }
    item->attempts = attempts;
    co_return true;
}

awaitable<result<outbound_pump::loaded_item>> outbound_pump::load(outbound_item item) {
    auto organization = co_await parts_.organization_of(item.room);
    if (!organization) {
        co_return organization.error();
    }
    ops::get_event of_item{*organization, item.room, item.event};
    auto event = co_await parts_.store->run(std::move(of_item));
    if (!event) {
        co_return event.error();
    }
    ops::load_room_context of_room{*organization, item.room};
    auto context = co_await parts_.store->run(std::move(of_room));
    if (!context) {
        co_return context.error();
    }
    loaded_item loaded{std::move(*organization), std::move(*event), std::nullopt};
    if (const binding* found = context->find_binding(item.channel); found != nullptr) {
        loaded.binding = *found;
    }
    co_return loaded;
}

awaitable<void> outbound_pump::record(
    outbound_item item, organization_id organization, target_outcome outcome
) {
    if (outcome.state == delivery_state::failed) {
        outcome.notices.push_back(dead_letter(item, outcome));
    }
    // Before the item goes, so that a crash in between repeats them instead of losing them.
    if (!outcome.notices.empty()) {
        for (framework_event& notice : outcome.notices) {
            notice.organization = organization;
        }
        ops::append_notices request{std::move(outcome.notices)};
        const bool stored = co_await persist(std::move(request));
        if (!stored) {
            co_return;
        }
    }
    ops::finish_outbound request;
    request.id = item.id;
    request.result = {item.delivery, outcome.state, outcome.attempts, std::move(outcome.outcome)};
    request.seen_attempts = item.attempts;
    if (outcome.state == delivery_state::deferred) {
        request.retry_at = parts_.clock->now() + outcome.defer_for;
        wake_at(parts_.where->now() + outcome.defer_for);
    }
    const bool is_recorded = co_await persist(std::move(request));
    static_cast<void>(is_recorded);  // else this worker stops, and the item stays
}

awaitable<void> outbound_pump::skip(outbound_item item, std::string reason) {
    ops::finish_outbound request;
    request.id = item.id;
    request.result.id = item.delivery;
    request.result.state = delivery_state::skipped;
    request.result.attempts = item.attempts;
    request.result.outcome.error_code = std::move(reason);
    const bool is_recorded = co_await persist(std::move(request));
    static_cast<void>(is_recorded);  // as in `record`
}

template <class Op>
awaitable<bool> outbound_pump::persist(Op request) {
    // What was sent must not be sent again because the store is away for a while: it is tried until
    // it is stored or this worker stops, and its destination stays busy.
    for (std::chrono::milliseconds delay = first_persist_delay;;
         delay = std::min(2 * delay, longest_persist_delay)) {
        const auto stored = co_await shielded(parts_.store->run(request));
        if (stored) {
            co_return true;
        }
        if (delay == first_persist_delay) {
            log(log_level::warn, "outbound_not_recorded", {{"error", stored.error()}});
        }
        const result<> waited = co_await sleep_for(delay);
        if (!waited) {
            co_return false;
        }
    }
}

void outbound_pump::wake_at(monotonic_time at) {
    if (wake_times_.size() < most_wake_times) {
        wake_times_.insert(at);
    }
}

void outbound_pump::rest(const outbound_item& item, std::chrono::milliseconds span) {
    resting_[destination_of(item)] = parts_.where->now() + span;
}

}  // namespace convene
