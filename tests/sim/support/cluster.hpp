// SPDX-License-Identifier: Apache-2.0
// The workers of a run: started, killed, frozen, restarted, and called by clients.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/support/process.hpp"

namespace convene {

/// A request that a client sends to a worker: what is called on its kit, or on any of its parts.
template <class T>
using sim_request = std::function<awaitable<result<T>>(room_kit*)>;
template <class T>
using sim_process_request = std::function<awaitable<result<T>>(sim_process*)>;

/// *Lifetime*: as long as the world.
class sim_cluster {
   public:
    explicit sim_cluster(sim_environment around);
    ~sim_cluster();
    sim_cluster(const sim_cluster&) = delete;
    sim_cluster& operator=(const sim_cluster&) = delete;

    [[nodiscard]] const std::vector<std::unique_ptr<sim_host>>& hosts() const noexcept {
        return hosts_;
    }

    [[nodiscard]] std::size_t size() const noexcept { return workers_.size(); }

    /// Null while the worker is down.
    [[nodiscard]] sim_process* at(std::size_t worker) const { return workers_.at(worker).get(); }

    // -- what happens to workers ---------------------------------------------------------------------

    void start_all();
    void kill(std::size_t worker, death how);
    void freeze(std::size_t worker, std::chrono::nanoseconds span);
    void leave(std::size_t worker);

    /// From now on a worker that ends is not started again.
    void stop_restarting() noexcept { restarts_ = false; }

    void leave_all();

    /// Whether a worker is on its way, and can't be told to stop yet.
    [[nodiscard]] bool is_starting() const;
    [[nodiscard]] bool has_ended() const;

    /// Kills what is left, so that everything can be dropped.
    void drop_all();

    /// Drawn among the workers that serve; `size()` if none does.
    [[nodiscard]] std::size_t draw_serving();

    // -- what clients do -----------------------------------------------------------------------------

    /// Sends a request to a worker and waits for its answer, on the client's executor.
    /// *Errors*: `unavailable` (it does not serve), `connection_lost` (it died: the outcome is unknown),
    /// `timed_out`, and what the request answers.
    template <class T>
    awaitable<result<T>> call(
        sim_executor* client, std::size_t worker, sim_process_request<T> request, deadline until
    );

    template <class T>
    awaitable<result<T>> call(
        sim_executor* client, std::size_t worker, sim_request<T> request, deadline until
    ) {
        sim_process_request<T> asked = [request = std::move(request)](sim_process* process) {
            return request(&process->kit());
        };
        return call<T>(client, worker, std::move(asked), until);
    }

    /// Calls that a living worker has not answered.
    [[nodiscard]] std::size_t open_calls() const;

   private:
    template <class T>
    class open_call;

    void start(std::size_t worker);
    void start_later(std::size_t worker);
    void retire(std::size_t worker, sim_host& host);
    void carry_ring(
        const organization_id& organization, const room_id& room, const incarnation_id& rung
    );
    void ring_later(
        const organization_id& organization, const room_id& room, const incarnation_id& rung
    );
    void carry_news(const sim_session_news& news, const sim_host& from);
    void tell_later(std::size_t worker, std::optional<sim_session_news> news);
    [[nodiscard]] bool is_running(std::size_t worker, const sim_host& host) const;
    [[nodiscard]] std::chrono::nanoseconds client_latency();

    sim_environment around_;
    sim_random random_;
    std::vector<std::unique_ptr<sim_host>> hosts_;  ///< of all starts
    std::vector<std::unique_ptr<sim_process>> workers_;
    bool restarts_ = true;
};

/// The client's and the worker's view of one call. Answers travel.
template <class T>
class sim_cluster::open_call final : public served_call,
                                     public std::enable_shared_from_this<open_call<T>> {
   public:
    open_call(sim_cluster& cluster, sim_executor& client) : cluster_(cluster), client_(client) {}

    void lose() override { answer(errc::connection_lost); }

    /// Run by the worker.
    static awaitable<void> run(
        std::shared_ptr<open_call> call, sim_process* process, sim_process_request<T> request
    ) {
        auto outcome = co_await request(process);
        call->answer(std::move(outcome));
    }

    void answer(result<T> given) {
        is_answered = true;
        auto self = this->shared_from_this();
        auto shared = std::make_shared<result<T>>(std::move(given));
        cluster_.around_.world.after(cluster_.client_latency(), [self, shared] {
            self->client_.arrive([self, shared] {
                self->outcome = std::move(*shared);
                self->answered.set();
            });
        });
    }

    result<T> outcome = errc::connection_lost;
    wait_flag answered;

   private:
    sim_cluster& cluster_;
    sim_executor& client_;
};

template <class T>
awaitable<result<T>> sim_cluster::call(
    sim_executor* client, std::size_t worker, sim_process_request<T> request, deadline until
) {
    auto call = std::make_shared<open_call<T>>(*this, *client);
    around_.world.after(client_latency(), [this, call, worker, request = std::move(request)] {
        sim_process* const process = at(worker);
        if (process == nullptr || process->now_in() == sim_process::phase::ended) {
            call->answer(errc::unavailable);
            return;
        }
        process->host().process().arrive([process, call, request] {
            if (process->now_in() != sim_process::phase::serving) {
                call->answer(errc::unavailable);
                return;
            }
            auto work = open_call<T>::run(call, process, request);
            process->serve(call, std::move(work));
        });
    });
    const result<> waited = co_await with_deadline(until, until_set(&call->answered));
    if (!waited) {
        co_return waited.error();
    }
    co_return std::move(call->outcome);
}

}  // namespace convene
