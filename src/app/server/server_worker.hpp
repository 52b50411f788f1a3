// SPDX-License-Identifier: Apache-2.0
// One worker of `convene serve`: the engine on a database, what is live, access, and the HTTP server.
#pragma once

#include "convene/loop.hpp"
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "access/access_service.hpp"
#include "agent/session/run_feed.hpp"
#include "agent/session/run_log.hpp"
#include "agent/session/session_service.hpp"
#include "app/command.hpp"
#include "app/local_worker.hpp"
#include "app/server/pulled_skill_texts.hpp"
#include "app/server/web_site.hpp"
#include "http/access_authenticator.hpp"
#include "http/surface.hpp"
#include "integration/subscription_pump.hpp"
#include "integration/subscription_service.hpp"
#include "live/commit_fanout.hpp"
#include "live/inbox_feed.hpp"
#include "live/notice_feed.hpp"
#include "live/postgres/notify_bus.hpp"
#include "live/presence_board.hpp"
#include "live/realtime.hpp"
#include "live/remote_news.hpp"
#include "live/room_tails.hpp"
#include "live/session_news.hpp"
#include "net/connection_board.hpp"
#include "net/http_server.hpp"
#include "skill/secret_service.hpp"
#include "skill/skill_service.hpp"
#include "workflow/workflow_service.hpp"

namespace convene {

/// *Lifetime*: started, used and stopped inside one run of the loop; stopped before it is destroyed.
class server_worker {
   public:
    /// Where connections come from: a socket that listens, which it works on a duplicate of, and perhaps with others.
    struct entrance {
        int listening = -1;
        connection_board* board = nullptr;
        std::size_t place_on_board = 0;
    };

    [[nodiscard]] static outcome<std::unique_ptr<server_worker>> open(
        loop& where, const command_context& with, entrance from
    );

    server_worker(const server_worker&) = delete;
    server_worker& operator=(const server_worker&) = delete;

    /// Takes up what was left undelivered, gives a fresh store its organisation and admin, and listens.
    [[nodiscard]] awaitable<outcome<>> start();

    enum class ending {
        in_order,  ///< O3: not ready, streams told where to resume, requests finished, lanes drained or handed over
        at_once,  ///< nothing that it does counts any more: its callers had better ask another worker soon
    };

    /// Goes away. Not cancellable.
    [[nodiscard]] awaitable<void> stop(ending how);

    /// As of `room_kit::buried`: then it is of no more use and is to be stopped.
    [[nodiscard]] wait_flag& buried() noexcept { return engine_->kit().buried(); }

    /// `http://127.0.0.1:8080`.
    [[nodiscard]] std::string url() const;

    /// The page that logs an admin in, once.
    [[nodiscard]] awaitable<outcome<std::string>> make_login_link();

   private:
    server_worker(
        loop& where,
        const command_context& with,
        entrance from,
        std::unique_ptr<commit_fanout> commits,
        std::unique_ptr<local_worker> engine,
        web_site site
    );

    void share_news(loop& where, const command_context& with);
    [[nodiscard]] session_parts sessions_of(loop& where);
    [[nodiscard]] std::unique_ptr<skill_service> skills_of(
        loop& where, const command_context& with
    );
    void publish(room_news_kind kind, const agent_run_record& run);
    void tell_watchers(const organization_id& organization, const room_id& room);
    [[nodiscard]] awaitable<void> hear_runs(std::optional<room_news> news);
    [[nodiscard]] awaitable<http_answer> answer(http_request request);
    [[nodiscard]] awaitable<void> write_figures(metrics_text* out) const;
    void write_own_figures(metrics_text& out) const;

    // fixed after construction; each uses what stands above it
    loop& where_;
    const configuration& settings_;
    const std::unique_ptr<commit_fanout> commits_;
    const std::unique_ptr<local_worker> engine_;
    const web_site site_;
    room_tails tails_;
    inbox_feed inbox_;
    session_news watchers_;
    notice_feed notices_;
    subscription_pump subscribers_;
    subscription_service subscriptions_;
    const std::unique_ptr<realtime_backend> realtime_;
    presence_board presence_;
    std::unique_ptr<notify_bus> bus_;    ///< null where no other worker can be
    std::unique_ptr<remote_news> news_;  ///< the same
    run_feeds feeds_;
    run_log streams_;
    session_service sessions_;
    const std::unique_ptr<skill_service> skills_;  ///< null where there is no folder for skills
    secret_service secrets_;
    pulled_skill_texts skill_texts_;
    workflow_service workflows_;
    password_hasher passwords_;
    access_service access_;
    access_authenticator who_;
    http_surface surface_;
    http_server server_;

    // the last member: its tasks use the others
    task_scope scope_;
};

}  // namespace convene
