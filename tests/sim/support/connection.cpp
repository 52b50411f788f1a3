// SPDX-License-Identifier: Apache-2.0
// Pipes and connections: messages in order, groups run in order, and what each end learns when it is over.
#include "sim/support/connection.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/mutant.hpp"
#include "sim/support/host.hpp"

namespace convene {

// -- one direction -------------------------------------------------------------------------------------

void sim_pipe::send(std::function<void()> message) {
    if (!is_cut_) {
        on_the_way_.push_back(std::move(message));
        arm();
    }
}

void sim_pipe::arm() {
    sim_world& world = host_.world();
    last_arrival_ = std::max(last_arrival_, world.now() + host_.latency());
    world.after(last_arrival_ - world.now(), [self = shared_from_this()] { self->arrive_one(); });
}

void sim_pipe::arrive_one() {
    if (is_cut_) {
        return;
    }
    if (host_.is_partitioned()) {
        ++held_;
        return;
    }
    const std::function<void()> message = std::move(on_the_way_.front());
    on_the_way_.pop_front();
    message();
}

void sim_pipe::resume() {
    for (; held_ != 0; --held_) {
        arm();
    }
}

void sim_pipe::cut() {
    is_cut_ = true;
    on_the_way_.clear();
}

// -- the client's end ----------------------------------------------------------------------------------

sim_connection::sim_connection(sim_host& host, connection_use use)
    : host_(host),
      use_(use),
      to_server_(std::make_shared<sim_pipe>(host)),
      to_client_(std::make_shared<sim_pipe>(host)) {}

std::shared_ptr<sim_call> sim_connection::start(
    request_kind kind, std::vector<server_action> groups
) {
    auto call = std::make_shared<sim_call>();
    call->kind = kind;
    if (!is_client_open_) {
        call->reached = errc::connection_lost;
        call->answered.set();
        return call;
    }
    calls_.push_back(call);
    to_server_->send([self = shared_from_this(), call, groups = std::move(groups)] {
        self->arrive({call, groups, {}});
    });
    return call;
}

awaitable<result<>> sim_connection::open(std::function<result<>()> accept) {
    auto call = std::make_shared<sim_call>();
    calls_.push_back(call);
    to_server_->send([self = shared_from_this(), call, accept = std::move(accept)] {
        const result<> accepted = accept();
        self->notify([self, call, accepted] { self->resolve(call, {accepted}); });
    });
    const result<> waited = co_await call->answered.wait();
    if (!waited) {
        co_return waited.error();
    }
    co_return call->reached ? call->answers.front() : call->reached;
}

awaitable<result<std::vector<result<>>>> sim_connection::exchange(
    request_kind kind, std::vector<server_action> groups
) {
    const std::shared_ptr<sim_call> sent = start(kind, std::move(groups));
    const result<> waited = co_await sent->answered.wait();
    if (!waited) {
        co_return waited.error();
    }
    if (!sent->reached) {
        co_return sent->reached.error();
    }
    co_return sent->answers;
}

awaitable<result<>> sim_connection::call(request_kind kind, server_action action) {
    std::vector<server_action> groups;
    groups.push_back(std::move(action));
    const auto answers = co_await exchange(kind, std::move(groups));
    if (!answers) {
        co_return answers.error();
    }
    co_return answers->front();
}

void sim_connection::tell(server_action action) {
    if (!is_client_open_) {
        return;
    }
    to_server_->send([self = shared_from_this(), action = std::move(action)] {
        self->arrive({nullptr, {action}, {}});
    });
}

void sim_connection::resolve(
    const std::shared_ptr<sim_call>& call, const std::vector<result<>>& answers
) {
    const auto known = std::ranges::find(calls_, call);
    if (known == calls_.end()) {
        return;  // the connection broke before the answer came
    }
    calls_.erase(known);
    call->answers = answers;
    call->answered.set();
}

/// Before it was applied, while it was, or after: the client can't tell.
errc sim_connection::outcome_without_answer(const sim_call& call) noexcept {
    return call.kind == request_kind::read ? errc::connection_lost : errc::outcome_unknown;
}

void sim_connection::break_client() {
    if (!is_client_open_) {
        return;
    }
    // The server may not know yet.
    close();
    const auto unanswered = std::exchange(calls_, {});
    for (const auto& call : unanswered) {
        call->reached = outcome_without_answer(*call);
        call->answered.set();
    }
    broken_.request(errc::lease_lost);
}

void sim_connection::close() {
    if (!is_client_open_ || host_.is_gone()) {
        return;
    }
    is_client_open_ = false;
    to_server_->send([self = shared_from_this()] { self->read_end(); });
}

// -- the server's end ----------------------------------------------------------------------------------

void sim_connection::open_session(std::function<void(sim_connection&)> when_ended) {
    has_session_ = true;
    when_ended_ = std::move(when_ended);
}

void sim_connection::arrive(arrived request) {
    if (!has_session_) {
        answer_with_reset();
        return;
    }
    inbox_.push_back(std::move(request));
    run_next_request();
}

void sim_connection::run_next_request() {
    while (has_session_ && !is_running_ && !inbox_.empty()) {
        is_running_ = true;
        const auto request = std::make_shared<arrived>(std::move(inbox_.front()));
        inbox_.pop_front();
        run_next_group(request);
    }
}

/// Whatever a group ends with, the next one is run.
void sim_connection::run_next_group(const std::shared_ptr<arrived>& request) {
    if (request->answers.size() == request->groups.size()) {
        is_running_ = false;
        if (request->call) {
            notify([self = shared_from_this(), request] {
                self->resolve(request->call, request->answers);
            });
        }
        return;
    }
    const server_action& group = request->groups[request->answers.size()];
    group(shared_from_this(), [self = shared_from_this(), request](result<> answer) {
        if (!self->has_session_) {
            return;
        }
        request->answers.push_back(answer);
        self->run_next_group(request);
        self->run_next_request();
    });
}

void sim_connection::read_end() {
    if (has_session_) {
        if (CONVENE_MUTANT("locks_die_with_the_client")) {
            when_ended_(*this);
        }
        arrive(
            {nullptr,
             {[](const auto& session, const answer_function&) {
                 session->end_session(session_end::silent);
             }},
             {}}
        );
    }
}

void sim_connection::end_session(session_end how) {
    if (!has_session_) {
        return;
    }
    has_session_ = false;
    inbox_.clear();
    const auto when_ended = std::exchange(when_ended_, nullptr);
    when_ended(*this);

    if (how == session_end::silent) {
        return;
    }
    if (how == session_end::told) {
        notify([self = shared_from_this()] { self->break_client(); });
        return;
    }
    answer_with_reset();
}

void sim_connection::answer_with_reset() {
    to_client_->cut();
    host_.world().after(host_.latency(), [self = shared_from_this()] {
        // A reset that is lost in a partition is repeated at the next packet of the client.
        if (!self->host_.is_partitioned()) {
            self->host_.process().arrive([self] { self->break_client(); });
        }
    });
}

void sim_connection::notify(std::function<void()> message) {
    to_client_->send([self = shared_from_this(), message = std::move(message)] {
        self->host_.process().arrive(message);
    });
}

}  // namespace convene
