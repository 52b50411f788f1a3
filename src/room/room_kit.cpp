// SPDX-License-Identifier: Apache-2.0
// Room kit: the parts of one worker put together, and its front door.
#include "convene/room_kit.hpp"

#include "convene/blocking_pool.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <unistd.h>

#include "base/assert.hpp"
#include "base/json_writer.hpp"
#include "base/log.hpp"
#include "lease/local_locks_warning.hpp"
#include "room/cursor_watch.hpp"
#include "room/detached.hpp"
#include "room/inbound.hpp"
#include "room/lane_operation.hpp"
#include "room/notice_pump.hpp"
#include "room/recovery.hpp"
#include "room/request_hash.hpp"
#include "room/retention_service.hpp"
#include "room/room_directory.hpp"
#include "room/room_hold.hpp"
#include "room/room_timer_service.hpp"
#include "room/sending.hpp"
#include "room/validation.hpp"

namespace convene {

namespace {

/// Threads for plain hooks. A hook that never returns costs one of them.
constexpr std::size_t hook_threads = 2;

/// How often rooms in which nothing happens are forgotten.
constexpr std::chrono::seconds between_cleanings{10};

enum class mute_state { muted, unmuted };

/// Who asks for it says nothing besides: what is found to be answered again is not part of the request.
std::string hash_of_regeneration() {
    room_event asked;
    asked.type = event_type::custom;
    asked.content = content::system("Answer again", "regenerate");
    return request_hash(asked);
}

std::string host_name() {
    char name[256] = {};
    if (gethostname(name, sizeof name - 1) != 0) {
        return "unknown";
    }
    return name;
}

}  // namespace

class room_kit::implementation {
   public:
    implementation(room_kit_parts parts, room_kit_settings with)
        : clock(*parts.clock),
          hook_pool(hook_threads),
          hook_calls(&hook_pool),
          remote_hooks(parts.where, parts.remote_hooks, with.commit_slots),
          order(*parts.store),
          targets(target_runner::parts{parts.where, &channels, &order, parts.random}),
          core{
              *parts.where,
              *parts.store,
              *parts.locks,
              *parts.delivery_claim_locks,
              clock,
              *parts.random,
              parts.commits,
              parts.bell,
              parts.plan_format,
              with,
              id_generator{*parts.clock, *parts.random},
              make_incarnation(parts),
              channels,
              hooks,
              hook_calls,
              remote_hooks,
              causes,
              targets,
              outbound,
              order,
          },
          outbound(outbound_parts(parts)),
          rooms(&core),
          watch(&core, &scope),
          out(&core, &watch),
          in(&core, &out),
          sweep(&core),
          timers(&core),
          retention(&core),
          notices(&core),
          lane_work(&core),
          scope(*parts.where) {
        core.rooms = &rooms;
    }

    store_clock clock;
    channel_registry channels;
    hook_registry hooks;
    blocking_pool hook_pool;
    hook_runner hook_calls;
    remote_hook_runner remote_hooks;
    cause_ledger causes;
    outbound_order order;
    target_runner targets;
    engine_core core;
    outbound_pump outbound;
    room_directory rooms;
    cursor_watch watch;
    sending out;
    inbound in;
    recovery sweep;
    room_timer_service timers;
    retention_service retention;
    notice_pump notices;
    lane_operation lane_work;
    bool is_open = false;
    bool is_closed = false;
    task_scope scope;  // last: its tasks use the members above

    [[nodiscard]] static incarnation_id make_incarnation(const room_kit_parts& parts) {
        if (!parts.incarnation.empty()) {
            return parts.incarnation;
        }
        return incarnation_id{make_uuid7(parts.clock->now(), *parts.random)};
    }

    [[nodiscard]] outbound_pump::parts outbound_parts(const room_kit_parts& parts) {
        outbound_pump::parts pump;
        pump.plan_format = parts.plan_format;
        pump.where = parts.where;
        pump.store = parts.store;
        pump.locks = parts.locks;
        pump.channels = &channels;
        pump.runner = &targets;
        pump.order = &order;
        pump.clock = &clock;
        pump.hooks = &hooks;
        pump.organization_of = [this](room_id room) { return organization_of(std::move(room)); };
        return pump;
    }

    [[nodiscard]] awaitable<result<organization_id>> organization_of(room_id room) {
        ops::find_organization request{std::move(room)};
        auto found = co_await core.store.run(std::move(request));
        co_return found;
    }

    [[nodiscard]] awaitable<void> clean_up() {
        for (;;) {
            const result<> slept = co_await sleep_for(between_cleanings);
            if (!slept) {
                co_return;
            }
            rooms.drop_idle();
        }
    }

    [[nodiscard]] proposal propose(const outgoing_event& sent) {
        proposal proposed;
        proposed.from = origin::sent;
        room_event& event = proposed.event;
        event.id = sent.id.empty() ? core.ids.next<event_id>() : sent.id;
        event.room = sent.room;
        event.type = sent.type;
        event.content = sent.content;
        event.source.channel = sent.channel;
        event.source.participant = sent.participant;
        const std::shared_ptr<channel> through = channels.find(sent.channel);
        event.source.channel_type = through == nullptr ? std::string{"system"} : through->type();
        event.parent = sent.parent;
        event.correlation_id = sent.correlation_id;
        event.idempotency_key = sent.idempotency_key;
        event.visibility = sent.visible_to.value_or(visibility{});
        event.addressed_to = sent.addressed_to;
        event.response_visibility = sent.response_visibility;
        event.metadata = sent.metadata;
        event.plan.cascade = cascade_id{event.id.str()};
        event.plan.budget = core.settings.cascade_budget;
        event.plan.trace_parent = sent.trace_parent;
        event.request_hash = request_hash(event);
        proposed.permitted_at = sent.permitted_at;
        if (sent.cause) {
            place_behind(*sent.cause, &core.causes, &proposed);
        }
        return proposed;
    }

    [[nodiscard]] deadline before_commit() const {
        return deadline{core.where.now() + core.settings.process_timeout};
    }

    /// Changes a binding as stored now. *Errors*: `not_found`.
    [[nodiscard]] awaitable<result<binding>> set_muted(
        organization_id organization, room_id id, channel_id channel, mute_state to
    ) {
        ops::load_room_context request{organization, std::move(id)};
        auto around = co_await core.store.run(std::move(request));
        if (!around) {
            co_return around.error();
        }
        const binding* found = around->find_binding(channel);
        if (found == nullptr) {
            co_return errc::not_found;
        }
        ops::put_binding change{std::move(organization), *found};
        change.binding.is_muted = to == mute_state::muted;
        auto put = co_await core.store.run(std::move(change));
        co_return put;
    }
};

room_kit::room_kit(room_kit_parts parts, room_kit_settings settings) {
    CONVENE_ASSERT(
        parts.where != nullptr && parts.store != nullptr && parts.locks != nullptr,
        "a kit needs its parts"
    );
    if (parts.delivery_claim_locks == nullptr) {
        parts.delivery_claim_locks = parts.locks;
    }
    if (parts.clock == nullptr) {
        parts.clock = &system_wall_clock();
    }
    if (parts.random == nullptr) {
        parts.random = &system_random();
    }
    settings.max_chain_depth = std::max(settings.max_chain_depth, 1);
    const std::string warning = pairing_warning(*parts.store, *parts.locks);
    if (!warning.empty()) {
        log(log_level::warn, "locks.process_local", {{"warning", warning}});
    }
    impl_ = std::make_unique<implementation>(parts, settings);
}

room_kit::~room_kit() = default;

awaitable<result<>> room_kit::init() {
    ops::register_worker request;
    request.worker.incarnation = impl_->core.me;
    request.worker.host = host_name();
    request.worker.version = CONVENE_VERSION;
    request.worker.format = impl_->core.plan_format;
    const auto registered = co_await store().run(std::move(request));
    if (!registered) {
        co_return registered.error();
    }
    impl_->clock.set(registered->started_at);
    const result<> pumping = co_await impl_->outbound.start(impl_->core.me);
    if (!pumping) {
        co_return pumping;
    }

    impl_->sweep.start(&impl_->scope);
    impl_->timers.start(&impl_->scope);
    impl_->retention.start(&impl_->scope);
    impl_->scope.spawn("clean up", impl_->clean_up());
    impl_->is_open = true;
    co_return result<>{};
}

awaitable<void> room_kit::close() {
    if (std::exchange(impl_->is_closed, true)) {
        co_return;
    }
    impl_->is_open = false;
    // What was buried has nothing to finish: others do its work already, and its callers had better ask them.
    const std::chrono::milliseconds patience = impl_->core.buried.is_set()
                                                   ? std::chrono::milliseconds{0}
                                                   : impl_->core.settings.drain_deadline;
    const deadline until{impl_->core.where.now() + patience};
    impl_->scope.request_stop();
    co_await shielded(impl_->scope.join());
    co_await shielded(impl_->rooms.drain(until));
    co_await shielded(impl_->outbound.stop(until));

    // What is left belongs to whoever takes the claim next; nobody has to wait for this worker.
    ops::release_rows rows{impl_->core.me};
    const auto released = co_await shielded(store().run(std::move(rows)));
    ops::set_worker_state dead{impl_->core.me, ops::worker_state::dead};
    const auto buried = co_await shielded(store().run(std::move(dead)));
    if (!released || !buried) {
        log(log_level::warn, "close.not_recorded", {});
    }

    const result<> claims = co_await shielded(impl_->core.claims.close(until));
    const result<> locks = co_await shielded(impl_->core.locks.close(until));
    if (!claims || !locks) {
        log(log_level::warn, "close.leases_left", {});
    }
    co_await shielded(store().close());
}

const incarnation_id& room_kit::incarnation() const noexcept { return impl_->core.me; }

wait_flag& room_kit::buried() noexcept { return impl_->core.buried; }

conversation_store& room_kit::store() noexcept { return impl_->core.store; }

// ---- channels, hooks, notices ----------------------------------------------------------------------------

result<> room_kit::register_channel(std::shared_ptr<channel> added) {
    return impl_->channels.add(std::move(added));
}

void room_kit::remove_channel(const channel_id& id) { impl_->channels.remove(id); }

std::shared_ptr<channel> room_kit::find_channel(const channel_id& id) const {
    return impl_->channels.find(id);
}

void room_kit::find_missing_channels_by(std::function<awaitable<result<>>()> looks) {
    impl_->channels.find_missing_by(std::move(looks));
}

awaitable<result<std::shared_ptr<channel>>> room_kit::look_up_channel(channel_id id) {
    auto found = co_await impl_->channels.look_up(std::move(id));
    co_return found;
}

result<> room_kit::add_hook(hook_definition added) { return impl_->hooks.add(std::move(added)); }

void room_kit::remove_hook(const hook_id& id) { impl_->hooks.remove(id); }

awaitable<result<>> room_kit::subscribe(std::string name, framework_callback callback) {
    co_return impl_->notices.subscribe(&impl_->scope, std::move(name), std::move(callback));
}

// ---- rooms -----------------------------------------------------------------------------------------------

awaitable<result<room>> room_kit::create_room(
    room created, std::vector<binding> bindings, std::vector<participant> participants
) {
    if (const auto valid = validate(created, bindings, participants); !valid) {
        log(log_level::info, "room.refused", {{"field", valid.error().field}});
        co_return errc::invalid_argument;
    }
    if (created.id.empty()) {
        created.id = impl_->core.ids.next<room_id>();
    }
    for (binding& attached : bindings) {
        attached.room = created.id;
    }
    for (participant& joined : participants) {
        joined.room = created.id;
        if (joined.id.empty()) {
            joined.id = impl_->core.ids.next<participant_id>();
        }
    }
    ops::create_room request{std::move(created), std::move(bindings), std::move(participants)};
    auto made = co_await store().run(std::move(request));
    co_return made;
}

void room_kit::answer_bell(const organization_id& organization, const room_id& room) {
    if (impl_->is_open) {
        impl_->rooms.open(organization, room)->deliveries.look_further();
    }
}

std::shared_ptr<const room_context> room_kit::find_known_room(
    const organization_id& organization, const room_id& id
) const {
    const std::shared_ptr<room_slot> slot = impl_->rooms.find(id);
    if (slot == nullptr || slot->writer.has_remote_hooks()) {
        return nullptr;
    }
    std::shared_ptr<const room_context> known = slot->writer.known();
    const bool is_of_organization = known != nullptr && known->room.organization == organization;
    return is_of_organization ? known : nullptr;
}

awaitable<result<room_context>> room_kit::get_room(organization_id organization, room_id id) {
    ops::load_room_context request{std::move(organization), std::move(id)};
    auto found = co_await store().run(std::move(request));
    co_return found;
}

awaitable<result<room>> room_kit::set_room_status(
    organization_id organization, room_id id, room_status to
) {
    ops::update_room request;
    request.organization = std::move(organization);
    request.id = std::move(id);
    request.status = to;
    auto changed = co_await store().run(std::move(request));
    co_return changed;
}

awaitable<result<room>> room_kit::set_room_timers(
    organization_id organization, room_id id, room_timers timers
) {
    ops::update_room request;
    request.organization = std::move(organization);
    request.id = std::move(id);
    request.timers = timers;
    auto changed = co_await store().run(std::move(request));
    co_return changed;
}

awaitable<result<room>> room_kit::patch_room_metadata(
    organization_id organization, room_id id, json_text patch, std::vector<std::string> unset
) {
    ops::update_room request;
    request.organization = std::move(organization);
    request.id = std::move(id);
    request.metadata_patch = std::move(patch);
    request.metadata_unset = std::move(unset);
    auto changed = co_await store().run(std::move(request));
    co_return changed;
}

awaitable<result<binding>> room_kit::attach_channel(
    organization_id organization, binding attached
) {
    const auto known = co_await impl_->channels.look_up(attached.channel);
    if (!known) {
        co_return known.error();
    }
    const std::shared_ptr<channel>& object = *known;
    if (object == nullptr || !may_use(*object, organization)) {
        co_return errc::channel_not_registered;
    }
    attached.channel_type = object->type();
    attached.kind = object->kind();

    ops::update_room forget;
    forget.organization = organization;
    forget.id = attached.room;
    forget.metadata_unset.push_back(detached_key(attached.channel));
    const auto forgotten = co_await store().run(std::move(forget));
    if (!forgotten) {
        co_return forgotten.error();
    }

    ops::put_binding request{std::move(organization), std::move(attached)};
    auto put = co_await store().run(std::move(request));
    co_return put;
}

awaitable<result<bool>> room_kit::detach_channel(
    organization_id organization, room_id id, channel_id channel
) {
    // Marked first: from then on no message brings the channel back, whatever happens in between.
    json_writer mark;
    mark.begin_object();
    mark.key(detached_key(channel)).boolean(true);
    mark.end_object();
    ops::update_room remember;
    remember.organization = organization;
    remember.id = id;
    remember.metadata_patch = mark.take();
    const auto remembered = co_await store().run(std::move(remember));
    if (!remembered) {
        co_return remembered.error();
    }

    ops::remove_binding request{std::move(organization), std::move(id), std::move(channel)};
    auto removed = co_await store().run(std::move(request));
    co_return removed;
}

awaitable<result<binding>> room_kit::mute_channel(
    organization_id organization, room_id id, channel_id channel
) {
    return impl_->set_muted(
        std::move(organization), std::move(id), std::move(channel), mute_state::muted
    );
}

awaitable<result<binding>> room_kit::unmute_channel(
    organization_id organization, room_id id, channel_id channel
) {
    return impl_->set_muted(
        std::move(organization), std::move(id), std::move(channel), mute_state::unmuted
    );
}

awaitable<result<participant>> room_kit::put_participant(
    organization_id organization, participant put
) {
    ops::put_participant request{std::move(organization), std::move(put)};
    auto stored = co_await store().run(std::move(request));
    co_return stored;
}

// ---- messages --------------------------------------------------------------------------------------------

awaitable<result<send_receipt>> room_kit::send_event(outgoing_event sent, wait_for until) {
    if (!impl_->is_open) {
        co_return errc::unavailable;
    }
    if (const auto valid = validate(sent); !valid) {
        log(log_level::info, "event.refused", {{"field", valid.error().field}});
        co_return errc::invalid_argument;
    }
    proposal proposed = impl_->propose(sent);
    auto receipt = co_await impl_->out.send(
        std::move(sent.organization), std::move(proposed), impl_->before_commit(), until
    );
    co_return receipt;
}

awaitable<result<send_receipt>> room_kit::append_for_session(
    outgoing_event sent, driver_append append
) {
    if (!impl_->is_open) {
        co_return errc::unavailable;
    }
    if (const auto valid = validate(sent); !valid) {
        log(log_level::info, "event.refused", {{"field", valid.error().field}});
        co_return errc::invalid_argument;
    }
    proposal proposed = impl_->propose(sent);
    ops::commit::session_append& session = proposed.session.emplace();
    session.epoch = append.epoch;
    session.delta = {
        std::move(append.session_state), std::move(append.user_state), std::move(append.app_state)
    };
    session.consumes = turn_id{std::move(append.turn)};
    proposed.tasks = std::move(append.tasks);
    proposed.observations = std::move(append.observations);
    complete_notes(&impl_->core.ids, &proposed);
    auto receipt = co_await impl_->out.send(
        std::move(sent.organization),
        std::move(proposed),
        impl_->before_commit(),
        wait_for::committed
    );
    co_return receipt;
}

awaitable<result<send_receipt>> room_kit::process_inbound(inbound_message message, wait_for until) {
    if (!impl_->is_open) {
        co_return errc::unavailable;
    }
    if (const auto valid = validate(message); !valid) {
        log(log_level::info, "message.refused", {{"field", valid.error().field}});
        co_return errc::invalid_argument;
    }
    auto receipt = co_await impl_->in.process(std::move(message), until);
    co_return receipt;
}

awaitable<result<send_receipt>> room_kit::send_greeting(
    organization_id organization,
    room_id id,
    channel_id agent,
    content greeting,
    std::string idempotency_key
) {
    if (!impl_->is_open) {
        co_return errc::unavailable;
    }
    outgoing_event sent;
    sent.idempotency_key = std::move(idempotency_key);
    sent.room = std::move(id);
    sent.channel = std::move(agent);
    sent.content = std::move(greeting);
    proposal proposed = impl_->propose(sent);
    proposed.from = origin::greeting;
    auto receipt = co_await impl_->out.send(
        std::move(organization), std::move(proposed), impl_->before_commit(), wait_for::delivered
    );
    co_return receipt;
}

awaitable<result<send_receipt>> room_kit::regenerate_response(
    organization_id organization, room_id id, std::string idempotency_key
) {
    if (!impl_->is_open) {
        co_return errc::unavailable;
    }
    ops::list_events request;
    request.organization = organization;
    request.room = id;
    request.newest_first = true;
    request.filter.types.push_back(event_type::message);
    request.filter.status = event_status::accepted;
    auto around = co_await get_room(organization, id);
    if (!around) {
        co_return around.error();
    }
    const auto recent = co_await store().run(std::move(request));
    if (!recent) {
        co_return recent.error();
    }

    const auto by_a_person = [&around](const room_event& event) {
        const binding* from = around->find_binding(event.source.channel);
        return from != nullptr && from->kind == channel_kind::transport && !event.is_deleted;
    };
    const auto last = std::find_if(recent->rbegin(), recent->rend(), by_a_person);
    if (last == recent->rend()) {
        co_return errc::not_found;
    }

    json_writer about;
    about.begin_object();
    about.key("event_id").string(last->id.str());
    about.end_object();
    outgoing_event asked;
    asked.room = std::move(id);
    asked.type = event_type::custom;
    asked.content = content::system("Answer again", "regenerate", about.take());
    asked.idempotency_key = std::move(idempotency_key);
    asked.parent = last->parent;
    asked.visible_to = visibility{visibility::scope::intelligence};
    asked.addressed_to.emplace();
    for (const binding& attached : around->bindings) {
        if (attached.kind == channel_kind::intelligence) {
            asked.addressed_to->push_back(attached.channel);
        }
    }
    proposal proposed = impl_->propose(asked);
    proposed.event.request_hash = hash_of_regeneration();
    auto receipt = co_await impl_->out.send(
        std::move(organization), std::move(proposed), impl_->before_commit(), wait_for::delivered
    );
    co_return receipt;
}

awaitable<result<std::vector<event_id>>> room_kit::delete_event(
    organization_id organization, room_id id, event_id removed
) {
    // Nothing is committed and no set runs while rows are closed (engine.md 5).
    auto held = co_await hold_room(&impl_->core, organization, id, impl_->before_commit());
    if (!held) {
        co_return held.error();
    }
    ops::delete_event request{std::move(organization), id, std::move(removed)};
    auto gone = co_await shielded(store().run(std::move(request)));
    if (gone && impl_->core.commits != nullptr) {
        impl_->core.commits->erased(id, *gone);
    }
    co_await shielded(let_go(std::move(*held)));
    co_return gone;
}

awaitable<result<bool>> room_kit::delete_room(organization_id organization, room_id id) {
    auto held = co_await hold_room(&impl_->core, organization, id, impl_->before_commit());
    if (!held) {
        co_return held.error() == errc::not_found ? result<bool>{false} : held.error();
    }
    ops::delete_room request{std::move(organization), std::move(id)};
    const auto gone = co_await shielded(store().run(std::move(request)));
    co_await shielded(let_go(std::move(*held)));
    co_return gone;
}

awaitable<result<replayed_skip>> room_kit::replay_skip(
    organization_id organization, std::int64_t skip
) {
    return impl_->lane_work.replay(std::move(organization), skip, impl_->before_commit());
}

awaitable<result<lane_change>> room_kit::pause_lane(
    organization_id organization, room_id id, deadline patience
) {
    return impl_->lane_work.pause(std::move(organization), std::move(id), patience);
}

awaitable<result<lane_change>> room_kit::resume_lane(organization_id organization, room_id id) {
    return impl_->lane_work.resume(std::move(organization), std::move(id));
}

awaitable<result<skipped_head>> room_kit::skip_head(
    organization_id organization, room_id id, std::optional<event_index> expected
) {
    return impl_->lane_work.skip(std::move(organization), std::move(id), expected);
}

awaitable<result<redelivered_event>> room_kit::redeliver(
    organization_id organization, room_id id, std::optional<event_id> event
) {
    return impl_->lane_work.redeliver(
        std::move(organization), std::move(id), std::move(event), impl_->before_commit()
    );
}

// ---- figures and leases ----------------------------------------------------------------------------------

std::vector<room_kit::lane_figures> room_kit::lanes() const { return impl_->rooms.lanes(); }

room_kit::lane_times room_kit::lane_timing() const { return impl_->core.lane_times; }

std::int32_t room_kit::plan_format() const noexcept { return impl_->core.plan_format; }

room_kit::retention_figures room_kit::retention() const noexcept {
    return impl_->retention.figures();
}

room_kit::hook_figures room_kit::remote_hooks() const { return impl_->remote_hooks.figures(); }

std::vector<room_kit::destination_figures> room_kit::destinations() const {
    std::map<destination, destination_figures> found;
    const auto at = [&found](const destination& to) -> destination_figures& {
        destination_figures& figures = found[to];
        figures.channel = to.channel;
        figures.address = to.address;
        return figures;
    };
    for (const auto& [to, breaker] : impl_->targets.breakers()) {
        if (breaker.is_open()) {
            at(to).breaker = breaker.is_probing() ? breaker_state::probing : breaker_state::open;
        }
    }
    for (const auto& [to, waiting] : impl_->order.waiting()) {
        at(to).waiting = waiting;
    }
    std::vector<destination_figures> listed;
    listed.reserve(found.size());
    std::ranges::move(found | std::views::values, std::back_inserter(listed));
    return listed;
}

std::vector<lease_info> room_kit::leases() const {
    std::vector<lease_info> held = impl_->core.locks.list();
    if (&impl_->core.claims != &impl_->core.locks) {
        std::ranges::move(impl_->core.claims.list(), std::back_inserter(held));
    }
    std::ranges::sort(held, {}, &lease_info::name);
    return held;
}

awaitable<result<std::vector<worker_lease>>> room_kit::all_leases(deadline until) {
    auto held = co_await impl_->core.locks.list_all(until);
    if (!held) {
        co_return held.error();
    }
    if (&impl_->core.claims != &impl_->core.locks) {
        auto claims = co_await impl_->core.claims.list_all(until);
        if (!claims) {
            co_return claims.error();
        }
        std::ranges::move(*claims, std::back_inserter(*held));
    }
    for (worker_lease& one : *held) {
        if (one.worker.empty()) {
            one.worker = impl_->core.me;
            one.host = host_name();
        }
    }
    co_return std::move(*held);
}

awaitable<result<lease_release>> room_kit::take_lease_away(
    lease_name name, stubborn_holder otherwise, deadline until
) {
    const bool is_claim = name.kind() == lease_kind::delivery;
    lock_manager& manager = is_claim ? impl_->core.claims : impl_->core.locks;
    const auto taken = co_await manager.take_away(std::move(name), otherwise, until);
    co_return taken;
}

awaitable<result<>> room_kit::test_leases(deadline until) {
    lease_name name{lease_kind::worker, organization_id{}, "self-test " + impl_->core.me.str()};
    auto taken = co_await impl_->core.locks.acquire(std::move(name), until);
    if (!taken) {
        co_return taken.error();
    }
    const result<> back = co_await shielded((*taken)->release());
    co_return back;
}

std::string pairing_warning(const conversation_store& store, const lock_manager& locks) {
    if (!store.is_shared_between_processes() || !locks.is_process_local()) {
        return {};
    }
    return local_locks_warning(store.name());
}

}  // namespace convene
