// SPDX-License-Identifier: Apache-2.0
// Pipes and connections: messages in order, and what each end learns when it is over.
#include "sim/support/connection.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
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

std::shared_ptr<sim_call> sim_connection::start(request_kind kind, server_action action) {
    auto call = std::make_shared<sim_call>();
    call->kind = kind;
    if (!is_client_open_) {
        call->outcome = errc::connection_lost;
        call->answered.set();
        return call;
    }
    calls_.push_back(call);
    to_server_->send([self = shared_from_this(), call, action = std::move(action)] {
        if (self->has_session_) {
            self->deliver(call, action);
        } else {
            self->answer_with_reset();
        }
    });
    return call;
}

void sim_connection::deliver(const std::shared_ptr<sim_call>& call, const server_action& action) {
    call->has_arrived = true;
    action([self = shared_from_this(), call](result<> outcome) {
        if (self->has_session_) {
            self->notify([self, call, outcome] { self->resolve(call, outcome); });
        }
    });
}

awaitable<result<>> sim_connection::open(std::function<result<>()> accept) {
    auto call = std::make_shared<sim_call>();
    calls_.push_back(call);
    to_server_->send([self = shared_from_this(), call, accept = std::move(accept)] {
        const result<> accepted = accept();
        self->notify([self, call, accepted] { self->resolve(call, accepted); });
    });
    const result<> waited = co_await call->answered.wait();
    if (!waited) {
        co_return waited.error();
    }
    co_return call->outcome;
}

awaitable<result<>> sim_connection::call(request_kind kind, server_action action) {
    const std::shared_ptr<sim_call> sent = start(kind, std::move(action));
    const result<> waited = co_await sent->answered.wait();
    if (!waited) {
        co_return waited.error();
    }
    co_return sent->outcome;
}

void sim_connection::tell(std::function<void()> action) {
    if (!is_client_open_) {
        return;
    }
    to_server_->send([self = shared_from_this(), action = std::move(action)] {
        if (self->has_session_) {
            action();
        } else {
            self->answer_with_reset();
        }
    });
}

void sim_connection::resolve(const std::shared_ptr<sim_call>& call, result<> outcome) {
    const auto known = std::ranges::find(calls_, call);
    if (known == calls_.end()) {
        return;  // the connection broke before the answer came
    }
    calls_.erase(known);
    call->outcome = outcome;
    call->answered.set();
}

errc sim_connection::outcome_without_answer(const sim_call& call) const noexcept {
    if (call.kind == request_kind::read) {
        return errc::connection_lost;
    }
    const bool is_known_lost = was_told_ && !call.has_arrived && use_ == connection_use::lease;
    return is_known_lost ? errc::lease_lost : errc::outcome_unknown;
}

void sim_connection::break_client() {
    if (!is_client_open_) {
        return;
    }
    // The server may not know yet.
    close();
    const auto unanswered = std::exchange(calls_, {});
    for (const auto& call : unanswered) {
        call->outcome = outcome_without_answer(*call);
        call->answered.set();
    }
    broken_.request(errc::lease_lost);
}

void sim_connection::close() {
    if (!is_client_open_ || host_.is_gone()) {
        return;
    }
    is_client_open_ = false;
    to_server_->send([self = shared_from_this()] { self->end_session(session_end::silent); });
}

// -- the server's end ----------------------------------------------------------------------------------

void sim_connection::open_session(std::function<void(sim_connection&)> when_ended) {
    has_session_ = true;
    when_ended_ = std::move(when_ended);
}

void sim_connection::end_session(session_end how) {
    if (!has_session_) {
        return;
    }
    has_session_ = false;
    const auto when_ended = std::exchange(when_ended_, nullptr);
    when_ended(*this);

    if (how == session_end::silent) {
        return;
    }
    if (how == session_end::told) {
        was_told_ = true;
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
