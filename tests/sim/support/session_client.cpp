// SPDX-License-Identifier: Apache-2.0
// What clients of sessions ask for, and how they read on.
#include "sim/support/session_client.hpp"

#include "convene/wait.hpp"

#include <fmt/format.h>

#include <utility>

#include "agent/session/turn_order.hpp"
#include "base/canonical_json.hpp"
#include "sim/support/client.hpp"
#include "sim/support/session_doubles.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr int most_starts = 6;

/// Whoever has read that long and has no end gives up: the auditor says whether there should have been one.
constexpr auto longest_reading = 5min;

constexpr per_mille half{500};

const organization_id& own_organization() { return sim_client::organization; }

/// What a worker answers that is only told.
awaitable<result<std::monostate>> told() { co_return std::monostate{}; }

/// Looked at where it is read: nothing may be shown that is not stored by then.
awaitable<result<run_page>> read_page(
    sim_process* process, sim_session_auditor* auditor, run_id run, std::int64_t after
) {
    auto page = co_await process->sessions().read(own_organization(), run, after);
    if (page) {
        auditor->page_read(run, after, *page);
    }
    co_return page;
}

}  // namespace

sim_session_client::sim_session_client(
    sim_environment around,
    sim_cluster& cluster,
    sim_executor& where,
    int number,
    std::vector<room_id> rooms
)
    : around_(around),
      cluster_(cluster),
      where_(where),
      name_(fmt::format("asker-{}", number)),
      number_(number),
      rooms_(std::move(rooms)),
      clock_(around.world),
      random_(around.world.random().fork()),
      calls_(around.world, cluster, where, random_, name_) {}

awaitable<void> sim_session_client::run() {
    for (int i = 0; i < around_.scenario.sessions->requests_per_client; ++i) {
        const result<> paused = co_await sleep_for(random_.skewed(0ms, 2s));
        static_cast<void>(paused);  // nobody cancels
        co_await do_something();
    }
    is_done_ = true;
}

awaitable<void> sim_session_client::do_something() {
    const int choice = random_.between(0, 99);
    if (choice < 15) {
        return send_message();
    }
    if (choice < 30) {
        return queue_turn();
    }
    if (choice < 40) {
        return read_any_run();
    }
    return ask();
}

// ---- what is asked ---------------------------------------------------------------------------------------

sim_story sim_session_client::new_story() {
    static constexpr story_step calls[] = {
        story_step::act,
        story_step::act,
        story_step::twice,
        story_step::slow,
        story_step::stuck,
        story_step::pick,
        story_step::pick
    };
    static constexpr story_step ends[] = {
        story_step::say,
        story_step::say,
        story_step::think,
        story_step::think,
        story_step::fail,
        story_step::hang
    };
    const bool is_lethal = random_.happens(around_.scenario.sessions->lethal);
    sim_story story;
    story.number = 1000 * number_ + ++asked_;
    const int rounds = random_.between(0, 3);
    for (int i = 0; i < rounds; ++i) {
        story.steps.push_back(calls[random_.index(std::size(calls))]);
    }
    if (is_lethal) {
        story.steps.push_back(random_.happens(half) ? story_step::die : story_step::lethal);
    }
    story.steps.push_back(ends[random_.index(std::size(ends))]);
    return story;
}

turn_order sim_session_client::new_order(const room_id& room) {
    const sim_story story = new_story();
    turn_order order;
    order.said.thread = room.str();
    order.said.run = fmt::format("wish-{}", story.number);
    order.said.messages.push_back({fmt::format("m-{}", story.number), write_story(story)});
    order.said.state = json_text::trusted(fmt::format(R"({{"k{}":{}}})", story.number, story.number)
    );
    order.said.tools.push_back(sim_client_tool());
    order.channel = around_.scenario.transports.front().id;
    order.participant = participant_id{name_};
    order.on_disconnect = static_cast<disconnect_policy>(random_.between(1, 3));
    return order;
}

/// A question through the run endpoint; perhaps it answers the calls that its tool is to make.
awaitable<void> sim_session_client::ask() {
    const room_id room = draw_room();
    turn_order order = new_order(room);
    std::vector<std::string> pending = std::exchange(pending_[room], {});
    if (random_.happens(per_mille{800})) {
        for (std::string& call : pending) {
            std::string id = "result of " + call;
            order.said.results.push_back({std::move(id), std::move(call), "picked", false});
        }
        if (!order.said.results.empty() && random_.happens(half)) {
            // Nothing else is said.
            order.said.messages.clear();
            order.said.state.reset();
        }
    }
    std::optional<followed_run> run = co_await start(std::move(order));
    if (run) {
        co_await follow(*std::move(run));
    }
}

/// Again and again, as long as it may be; who does not know what came of it may look which run there is.
awaitable<std::optional<sim_session_client::followed_run>> sim_session_client::start(
    turn_order order
) {
    const room_id room{order.said.thread};
    for (int tries = 0; tries < most_starts; ++tries) {
        const std::size_t worker = cluster_.draw_serving();
        result<agent_run_record> begun = errc::unavailable;
        if (worker != cluster_.size()) {
            around_.world.note("{} asks {} for {}", name_, room.str(), order.said.run);
            sim_process_request<agent_run_record> request =
                [room, order, by = name_](sim_process* process) {
                    return process->sessions().service().start(
                        own_organization(), room, order, by, run_starter::reads
                    );
                };
            const deadline until{where_.now() + client_calls::patience};
            begun = co_await cluster_.call<agent_run_record>(
                &where_, worker, std::move(request), until
            );
        }
        if (begun) {
            for (const new_user_message& message : order.said.messages) {
                around_.session_auditor.accepted(message.id, begun->id);
            }
            co_return followed_run{begun->id, room, worker, -1, true};
        }
        around_.world.note("{} is told '{}'", name_, begun.error().message());
        const bool is_refused = begun.error() == errc::tool_call_not_open ||
                                begun.error() == errc::room_changed ||
                                is_final_answer(begun.error());
        if (is_refused) {
            co_return std::nullopt;
        }
        const bool is_unknown = begun.error() == condition::outcome_unknown ||
                                begun.error() == errc::connection_lost ||
                                begun.error() == errc::timed_out;
        if (is_unknown && random_.happens(half)) {
            auto last = co_await find_last_run(room);
            co_return last;
        }
        const result<> paused = co_await sleep_for(random_.skewed(50ms, 3s));
        static_cast<void>(paused);  // nobody cancels
    }
    co_return std::nullopt;
}

awaitable<std::optional<sim_session_client::followed_run>> sim_session_client::find_last_run(
    room_id room
) {
    ops::list_runs look{own_organization(), room, 1};
    sim_request<std::vector<agent_run_record>> request = [look](room_kit* kit) {
        return kit->store().run(look);
    };
    const auto runs = co_await calls_.until_known<std::vector<agent_run_record>>(std::move(request)
    );
    if (!runs || runs->empty()) {
        co_return std::nullopt;
    }
    co_return followed_run{runs->front().id, room, cluster_.size()};
}

/// A message as people send it: a turn for whichever worker has a free hand.
awaitable<void> sim_session_client::send_message() {
    const sim_story story = new_story();
    outgoing_event sent;
    sent.organization = own_organization();
    sent.room = draw_room();
    sent.channel = around_.scenario.transports.front().id;
    sent.participant = participant_id{name_};
    sent.content = content::text(write_story(story));
    sent.idempotency_key = fmt::format("{}:{}", name_, story.number);
    around_.world.note("{} sends {} to {}", name_, sent.idempotency_key, sent.room.str());
    sim_request<send_receipt> request = [sent](room_kit* kit) {
        return kit->send_event(sent, wait_for::committed);
    };
    const auto receipt = co_await calls_.until_known<send_receipt>(std::move(request));
    if (receipt) {
        around_.auditor.acknowledged(sent.idempotency_key, *receipt);
    } else {
        around_.auditor.refused(sent.idempotency_key, receipt.error());
    }
}

wall_time sim_session_client::some_time_soon() {
    const auto span = random_.happens(half) ? 0ns : random_.between(0ms, 3s);
    return clock_.now() + std::chrono::duration_cast<std::chrono::microseconds>(span);
}

awaitable<void> sim_session_client::queue_turn() {
    const room_id room = draw_room();
    turn_order order = new_order(room);
    order.on_disconnect = disconnect_policy::detach;
    const std::string message = order.said.messages.front().id;
    session_turn turn;
    turn.id = turn_id{"turn-" + message};
    turn.room = room;
    turn.organization = own_organization();
    turn.kind = turn_kind::wake;
    turn.acting_for = name_;
    turn.not_before = some_time_soon();
    turn.input = write_turn_order(order);
    around_.world.note("{} queues {} for {}", name_, turn.id.str(), room.str());
    sim_process_request<session_turn> request = [turn](sim_process* process) {
        return process->sessions().service().queue(turn);
    };
    const auto queued = co_await calls_.until_known<session_turn>(std::move(request));
    if (queued || queued.error() == errc::already_exists) {
        around_.session_auditor.accepted(message, turn.id);
    }
}

// ---- reading ---------------------------------------------------------------------------------------------

/// To its end, unless it leaves or cancels in the middle.
awaitable<void> sim_session_client::follow(followed_run run) {
    const monotonic_time patience_ends = where_.now() + longest_reading;
    while (!run.is_whole && where_.now() < patience_ends) {
        const bool has_read = co_await read_on(&run);
        if (run.is_whole) {
            break;
        }
        if (!has_read) {
            co_await let_go(&run);
            const result<> paused = co_await sleep_for(random_.skewed(10ms, 1s));
            static_cast<void>(paused);  // nobody cancels
            continue;
        }
        const int choice = random_.between(0, 99);
        if (choice < 8) {
            co_await let_go(&run);
            if (random_.happens(half)) {
                co_return;
            }
            co_await come_back(&run);
        } else if (choice < 16) {
            co_await cancel(run.id);
            if (random_.happens(half)) {
                // Abort and retry.
                co_await let_go(&run);
                co_return;
            }
        }
    }
    co_await let_go(&run);
}

/// A page; false: that worker gave none.
awaitable<bool> sim_session_client::read_on(followed_run* run) {
    if (!run->is_starter) {
        run->worker = cluster_.draw_serving();
    }
    if (run->worker == cluster_.size()) {
        co_return false;
    }
    sim_process_request<run_page> request =
        [auditor = &around_.session_auditor, id = run->id, seen = run->seen](sim_process* process) {
            return read_page(process, auditor, id, seen);
        };
    const deadline until{where_.now() + client_calls::patience};
    const auto page = co_await cluster_.call<run_page>(
        &where_, run->worker, std::move(request), until
    );
    if (!page) {
        co_return false;
    }
    if (!page->frames.empty()) {
        run->seen = page->frames.back().number;
    }
    run->is_whole = page->is_whole;
    if (page->is_whole && !page->frames.empty()) {
        take_pending_calls(run->room, page->frames.back());
    }
    co_return true;
}

void sim_session_client::take_pending_calls(const room_id& room, const run_frame& last) {
    const auto outcome = find_member(last.data, "outcome");
    const auto pending = outcome ? find_member(*outcome, "pendingToolCallIds") : std::nullopt;
    for (const std::string_view call : elements_of(pending.value_or("[]"))) {
        pending_[room].push_back(decode_string(call).value_or(""));
    }
}

/// The worker that waits for it as the starter is told that it has the end, or is gone.
awaitable<void> sim_session_client::let_go(followed_run* run) {
    if (!std::exchange(run->is_starter, false)) {
        co_return;
    }
    sim_process_request<std::monostate> request = [id = run->id,
                                                   has_end = run->is_whole](sim_process* process) {
        if (has_end) {
            process->sessions().service().starter_took_end(id);
        } else {
            process->sessions().service().starter_left(id);
        }
        return told();
    };
    const deadline until{where_.now() + client_calls::patience};
    const auto heard = co_await cluster_.call<std::monostate>(
        &where_, run->worker, std::move(request), until
    );
    static_cast<void>(heard);  // a worker that is gone waits for nobody
}

awaitable<void> sim_session_client::come_back(followed_run* run) {
    sim_process_request<std::monostate> request = [id = run->id](sim_process* process) {
        process->sessions().service().starter_came_back(id);
        return told();
    };
    const deadline until{where_.now() + client_calls::patience};
    const auto heard = co_await cluster_.call<std::monostate>(
        &where_, run->worker, std::move(request), until
    );
    static_cast<void>(heard);  // a worker that is gone waits for nobody
}

awaitable<void> sim_session_client::cancel(run_id run) {
    around_.world.note("{} cancels {}", name_, run.str());
    sim_process_request<agent_run_record> request = [run](sim_process* process) {
        return process->sessions().service().cancel(own_organization(), run);
    };
    const auto cancelled = co_await calls_.until_known<agent_run_record>(std::move(request));
    if (!cancelled) {
        around_.world.fail("A3: a run can't be cancelled: " + cancelled.error().message());
    }
}

awaitable<void> sim_session_client::read_any_run() {
    const std::vector<run_id> known = around_.session_auditor.runs();
    if (!known.empty()) {
        followed_run run{known[random_.index(known.size())], rooms_.front(), cluster_.size()};
        const bool has_read = co_await read_on(&run);
        static_cast<void>(has_read);  // what it got is the auditor's to see
    }
}

awaitable<void> sim_session_client::read_all(run_id id) {
    followed_run run{std::move(id), rooms_.front(), cluster_.size()};
    const monotonic_time patience_ends = where_.now() + longest_reading;
    while (!run.is_whole && where_.now() < patience_ends) {
        const bool has_read = co_await read_on(&run);
        if (!has_read) {
            const result<> paused = co_await sleep_for(10ms);
            static_cast<void>(paused);  // nobody cancels
        }
    }
    if (!run.is_whole) {
        around_.world.fail("A7: run " + run.id.str() + " can't be read to its end");
    }
}

}  // namespace convene
