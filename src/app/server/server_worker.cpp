// SPDX-License-Identifier: Apache-2.0
// Server worker: putting the parts together, and letting them go in order.
#include "app/server/server_worker.hpp"

#include <fmt/format.h>

#include <utility>

#include "agent/session/session_channel.hpp"
#include "app/server/session_figures.hpp"
#include "app/server/skill_setup.hpp"
#include "base/assert.hpp"
#include "base/config/configuration.hpp"
#include "base/log.hpp"
#include "http/resource/access_routes.hpp"
#include "http/resource/approval_routes.hpp"
#include "http/resource/integration_routes.hpp"
#include "http/resource/secret_routes.hpp"
#include "http/resource/session_routes.hpp"
#include "http/resource/skill_routes.hpp"
#include "http/resource/workflow_routes.hpp"
#include "http/room_access.hpp"
#include "http/stream/stream_parts.hpp"
#include "live/tail_channel.hpp"

namespace convene {

namespace {

/// What is left of requests and streams when this has passed is cancelled.
constexpr std::chrono::milliseconds drain_time{5'000};

attachment_limits attachment_limits_of(const configuration& settings) {
    attachment_limits limits;
    limits.max_bytes = static_cast<std::size_t>(settings.integer("ATTACHMENT_MAX_BYTES"));
    limits.room_bytes = settings.integer("ATTACHMENT_ROOM_MAX_BYTES");
    limits.organization_bytes = settings.integer("ATTACHMENT_ORGANIZATION_MAX_BYTES");
    return limits;
}

http_server_settings server_settings_of(
    const configuration& settings, router* front, const server_worker::entrance& from
) {
    http_server_settings with;
    with.limits.large_body_bytes = attachment_limits_of(settings).max_bytes;
    with.limits.takes_large_body = [front](http_method method, std::string_view path) {
        return front->takes_bytes(method, path);
    };
    with.admit_large_body = [front](http_request head) {
        return front->refuse_body(std::move(head));
    };
    with.listening_descriptor = from.listening;
    with.board = from.board;
    with.place_on_board = from.place_on_board;
    if (const std::string& certificate = settings.text("TLS_CERTIFICATE"); !certificate.empty()) {
        tls_server_settings tls;
        tls.certificate_file = certificate;
        tls.key_file = settings.text("TLS_KEY");
        tls.client_ca_file = settings.text("TLS_CLIENT_CA");
        with.tls = std::move(tls);
    }
    return with;
}

access_settings access_settings_of(const configuration& settings) {
    access_settings with;
    with.bootstrap_token = settings.text("BOOTSTRAP_TOKEN");
    return with;
}

rate_limits rate_limits_of(const configuration& settings) {
    const auto per_user = static_cast<double>(settings.integer("RATE_LIMIT_PER_USER"));
    const auto per_token = static_cast<double>(settings.integer("RATE_LIMIT_PER_TOKEN"));
    rate_limits limits;
    limits.users.per_second = per_user;
    limits.users.burst = 4 * per_user;
    limits.tokens.per_second = per_token;
    limits.tokens.burst = 2 * per_token;
    return limits;
}

session_settings session_settings_of(const configuration& settings) {
    session_settings with;
    with.turn_timeout = std::chrono::seconds{settings.integer("AGENT_TURN_TIMEOUT_SECONDS")};
    with.concurrency = static_cast<std::size_t>(settings.integer("SESSION_RUNNER_CONCURRENCY"));
    return with;
}

public_transport transport_of(const configuration& settings) {
    return settings.text("APP_BASE_URL").starts_with("https://") ? public_transport::tls
                                                                 : public_transport::as_requested;
}

}  // namespace

outcome<std::unique_ptr<server_worker>> server_worker::open(
    loop& where, const command_context& with, entrance from
) {
    auto site = web_site::load(with.settings->text("WEB_DIR"));
    if (!site) {
        return site.error();
    }
    auto commits = std::make_unique<commit_fanout>();
    auto engine = local_worker::open(
        where, with, sqlite_creation::create_if_missing, commits.get()
    );
    if (!engine) {
        return engine.error();
    }
    return std::unique_ptr<server_worker>{new server_worker{
        where, with, from, std::move(commits), *std::move(engine), *std::move(site)
    }};
}

server_worker::server_worker(
    loop& where,
    const command_context& with,
    entrance from,
    std::unique_ptr<commit_fanout> commits,
    std::unique_ptr<local_worker> engine,
    web_site site
)
    : where_(where),
      settings_(*with.settings),
      commits_(std::move(commits)),
      engine_(std::move(engine)),
      site_(std::move(site)),
      tails_(where, engine_->store(), {}),
      watchers_(&engine_->store(), &inbox_),
      notices_(engine_->store(), {}),
      subscribers_(
          subscription_pump::parts{
              &where,
              &engine_->store(),
              &engine_->locks(),
              &notices_,
              &system_wall_clock(),
              &system_random(),
              &engine_->secrets(),
              engine_->sender(),
          },
          {}
      ),
      subscriptions_(subscription_service_parts{
          &engine_->store(),
          &system_wall_clock(),
          &system_random(),
          &engine_->secrets(),
          [this] { subscribers_.look_again(); },
      }),
      realtime_(make_in_memory_realtime()),
      presence_(*realtime_, system_wall_clock()),
      feeds_(where, engine_->store()),
      streams_(
          where,
          engine_->store(),
          feeds_,
          [this](const agent_run_record& run) { publish(room_news_kind::runs, run); }
      ),
      sessions_(sessions_of(where), session_settings_of(*with.settings)),
      skills_(skills_of(where, with)),
      secrets_({&engine_->store(), &system_random(), &engine_->secrets(), skills_.get()}),
      skill_texts_(skills_.get()),
      workflows_(workflow_parts{
          &engine_->kit(),
          &sessions_,
          &system_wall_clock(),
          &system_random(),
          &skill_texts_,
          web_channel(),
      }),
      passwords_(system_random()),
      access_(
          access_parts{
              &where, &engine_->store(), &system_wall_clock(), &system_random(), &passwords_
          },
          access_settings_of(*with.settings)
      ),
      who_(access_, transport_of(settings_)),
      surface_(
          http_surface_parts{
              &engine_->kit(),
              &who_,
              nullptr,
              nullptr,
              CONVENE_VERSION,
              [this](metrics_text* out) { return write_figures(out); },
              &inbox_,
              &engine_->secrets(),
              attachment_limits_of(settings_),
          },
          rate_limits_of(*with.settings)
      ),
      server_(
          where,
          server_settings_of(settings_, &surface_.front(), from),
          [this](http_request request) { return answer(std::move(request)); }
      ),
      scope_(where) {
    commits_->add(&tails_);
    commits_->add(&inbox_);
    if (engine_->shared_locks() != nullptr) {
        share_news(where, with);
    }
    const result<> registered = engine_->kit().register_channel(
        std::make_shared<tail_channel>(web_channel())
    );
    CONVENE_ASSERT(registered, "no other channel of the server has this id");

    stream_parts streams;
    streams.where = &where;
    streams.kit = &engine_->kit();
    streams.who = &who_;
    streams.tails = &tails_;
    streams.inbox = &inbox_;
    streams.notices = &notices_;
    streams.realtime = realtime_.get();
    streams.presence = &presence_;
    streams.clock = &system_wall_clock();
    streams.random = &system_random();
    streams.draining = &server_.draining();
    for (route& one : stream_routes(streams)) {
        surface_.routes().add(std::move(one));
    }
    for (route& one :
         access_routes({&access_, transport_of(settings_), settings_.text("APP_BASE_URL")})) {
        surface_.routes().add(std::move(one));
    }
    session_route_parts sessions;
    sessions.where = &where;
    sessions.kit = &engine_->kit();
    sessions.who = &who_;
    sessions.sessions = &sessions_;
    sessions.feeds = &feeds_;
    sessions.random = &system_random();
    sessions.clock = &system_wall_clock();
    for (route& one : session_routes(sessions)) {
        surface_.routes().add(std::move(one));
    }
    for (route& one : turn_routes(sessions)) {
        surface_.routes().add(std::move(one));
    }
    skill_route_parts skills;
    skills.where = &where;
    skills.skills = skills_.get();
    skills.local = settings_.boolean("SKILLS_LOCAL_REPOSITORIES") ? local_repositories::allowed
                                                                  : local_repositories::refused;
    for (route& one : skill_routes(skills)) {
        surface_.routes().add(std::move(one));
    }
    for (route& one : secret_routes(skills_ == nullptr ? nullptr : &secrets_)) {
        surface_.routes().add(std::move(one));
    }
    for (route& one : approval_routes(sessions)) {
        surface_.routes().add(std::move(one));
    }
    for (const auto make : {workflow_routes, execution_routes, notification_routes}) {
        for (route& one : make({sessions, &workflows_})) {
            surface_.routes().add(std::move(one));
        }
    }
    engine_->tell_of_turns([this] {
        sessions_.wake();
        publish(room_news_kind::turns, {});
    });
    for (route& one : integration_routes(
             {&engine_->kit(),
              &engine_->channels(),
              &subscriptions_,
              &system_wall_clock(),
              &engine_->secrets()}
         )) {
        surface_.routes().add(std::move(one));
    }
}

session_parts server_worker::sessions_of(loop& where) {
    session_parts parts;
    parts.where = &where;
    parts.kit = &engine_->kit();
    parts.locks = &engine_->locks();
    parts.streams = &streams_;
    parts.clock = &system_wall_clock();
    parts.random = &system_random();
    parts.agents = [this](const channel_id& id) { return session_agent_of(engine_->kit(), id); };
    parts.equip = [this](agent_session session, session_agent* agent) {
        return workflows_.equip(std::move(session), agent);
    };
    parts.announce_turn = [this] { publish(room_news_kind::turns, {}); };
    parts.announce_cancel = [this](const agent_run_record& run) {
        publish(room_news_kind::run_ends, run);
    };
    parts.announce_session = [this](const organization_id& organization, const room_id& room) {
        tell_watchers(organization, room);
    };
    return parts;
}

std::unique_ptr<skill_service> server_worker::skills_of(loop& where, const command_context& with) {
    std::optional<skill_settings> settings = skill_settings_of(*with.settings, with.database);
    if (!settings) {
        return nullptr;
    }
    skill_service_parts parts;
    parts.where = &where;
    parts.store = &engine_->store();
    parts.locks = &engine_->locks();
    parts.clock = &system_wall_clock();
    parts.random = &system_random();
    parts.secrets = &engine_->secrets();
    return std::make_unique<skill_service>(parts, *std::move(settings));
}

/// To other workers, where there can be any.
void server_worker::publish(room_news_kind kind, const agent_run_record& run) {
    if (bus_ == nullptr) {
        return;
    }
    room_news news{kind, run.organization, run.room, {}};
    if (!run.id.empty()) {
        news.names.push_back(run.id.str());
    }
    bus_->publish(std::move(news));
}

/// Those who watch a session, here and at other workers.
void server_worker::tell_watchers(const organization_id& organization, const room_id& room) {
    if (!scope_.is_stopping()) {
        scope_.spawn("session news", watchers_.tell(organization, room));
    }
    if (bus_ != nullptr) {
        bus_->publish({room_news_kind::session, organization, room, {}});
    }
}

/// What other workers say about sessions, runs and turns; nothing: some of it may have been missed.
awaitable<void> server_worker::hear_runs(std::optional<room_news> news) {
    if (!news) {
        feeds_.look_at_all();
        sessions_.wake();
        co_await sessions_.look_for_cancels();
        co_return;
    }
    if (news->kind == room_news_kind::turns) {
        sessions_.wake();
        co_return;
    }
    if (news->kind == room_news_kind::session) {
        co_await watchers_.tell(std::move(news->organization), std::move(news->room));
        co_return;
    }
    for (std::string& name : news->names) {
        const run_id run{std::move(name)};
        if (news->kind == room_news_kind::runs) {
            feeds_.look_at(run);
        } else {
            sessions_.hear_cancel(run);
        }
    }
}

/// What is committed here is read elsewhere, and the other way round.
void server_worker::share_news(loop& where, const command_context& with) {
    bus_ = std::make_unique<notify_bus>(where, with.database.address, engine_->kit().incarnation());
    remote_news::parts parts;
    parts.bus = bus_.get();
    parts.store = &engine_->store();
    parts.tails = &tails_;
    parts.inbox = &inbox_;
    parts.refresh_channels = [this] { return engine_->channels().refresh(); };
    parts.self = engine_->kit().incarnation();
    parts.answer_bell = [this](const organization_id& organization, const room_id& room) {
        engine_->kit().answer_bell(organization, room);
    };
    parts.hear_runs = [this](std::optional<room_news> news) { return hear_runs(std::move(news)); };
    news_ = std::make_unique<remote_news>(std::move(parts));
    engine_->bell().connect(bus_.get());
    commits_->add(news_.get());
    engine_->kit().find_missing_channels_by([this] { return engine_->channels().refresh(); });
    engine_->channels().announce_to([this](const organization_id& changed) {
        news_->channels_changed(changed);
    });
    log(log_level::warn,
        "realtime.process_local",
        {{"message",
          "typing, presence and reactions reach only the people on the same worker; messages reach "
          "everybody"}});
}

awaitable<outcome<>> server_worker::start() {
    outcome<> ready = co_await engine_->start();
    if (!ready) {
        co_return ready;
    }
    const result<> founded = co_await access_.bootstrap();
    if (!founded) {
        co_return store_failure(founded.error(), "looking for the first organisation");
    }
    if (skills_ != nullptr) {
        const outcome<> prepared = co_await prepare_skills(skills_.get());
        if (!prepared) {
            co_return prepared;
        }
        skills_->start();
    }
    subscribers_.start();
    sessions_.start_runner();
    if (bus_ != nullptr) {
        bus_->start();
        scope_.spawn("remote news", news_->run());
    }
    const result<> listening = server_.start();
    if (!listening) {
        co_return failure{
            exit_code::usage,
            "the server can't start: its certificate, its key or its socket is not good",
            "the log says why; see TLS_CERTIFICATE, TLS_KEY and TLS_CLIENT_CA"
        };
    }
    co_return outcome<>{};
}

awaitable<void> server_worker::stop(ending how) {
    surface_.front().start_draining();
    tails_.end_all();
    notices_.end_all();
    // Before its streams are cut: a run that is handed over is not one whose starter has left.
    co_await shielded(sessions_.stop());
    if (skills_ != nullptr) {
        co_await shielded(skills_->stop());
    }
    co_await shielded(streams_.stop());
    if (how == ending::in_order) {
        const deadline until{where_.now() + drain_time};
        co_await shielded(server_.drain(until));
    }
    co_await shielded(server_.stop());
    co_await shielded(subscribers_.stop());
    co_await engine_->stop();
    // Last: what was committed while the lanes drained is said too.
    scope_.request_stop();
    co_await shielded(scope_.join());
    if (bus_ != nullptr) {
        co_await bus_->stop();
    }
}

std::string server_worker::url() const {
    const std::string& base = settings_.text("APP_BASE_URL");
    if (!base.empty()) {
        return base;
    }
    const std::string& host = settings_.text("HOST");
    const bool is_ipv6 = host.find(':') != std::string::npos;
    return fmt::format(
        "{}://{}:{}",
        settings_.text("TLS_CERTIFICATE").empty() ? "http" : "https",
        is_ipv6 ? '[' + host + ']' : host,
        server_.port()
    );
}

awaitable<outcome<std::string>> server_worker::make_login_link() {
    const auto made = co_await access_.make_login_link();
    if (!made) {
        co_return store_failure(made.error(), "making a link to log in");
    }
    co_return url() + "/login#link=" + made->token;
}

awaitable<void> server_worker::write_figures(metrics_text* out) const {
    write_own_figures(*out);
    session_figure_sources sources{&engine_->kit(), &sessions_, &streams_, &feeds_};
    co_await write_session_figures(out, sources);
}

void server_worker::write_own_figures(metrics_text& out) const {
    const http_counters& counted = server_.counters();
    out.family("convene_connections_open", "gauge", "Connections that are open.");
    out.sample("convene_connections_open", {}, static_cast<double>(counted.connections_open));
    out.family("convene_tail_readers", "gauge", "Readers that follow a room.");
    out.sample("convene_tail_readers", {}, static_cast<double>(tails_.readers()));
    const auto gauge = [&out](std::string_view name, std::string_view help, auto value) {
        out.family(name, "gauge", help);
        out.sample(name, {}, static_cast<double>(value));
    };
    const room_kit::hook_figures hooks = engine_->kit().remote_hooks();
    gauge("convene_hooks_asking", "Remote hooks that have not answered yet.", hooks.asking);
    gauge(
        "convene_hooks_asking_in_lock", "Of those, serial ones: a room waits.", hooks.asking_in_lock
    );
    gauge("convene_hooks_kept_out", "Hooks not asked, because they kept failing.", hooks.kept_out);
    std::int64_t waiting = 0;
    std::size_t open_breakers = 0;
    for (const room_kit::destination_figures& to : engine_->kit().destinations()) {
        waiting += to.waiting;
        open_breakers += to.breaker == room_kit::breaker_state::closed ? 0 : 1;
    }
    gauge("convene_circuit_breakers_open", "Destinations that nothing is sent to.", open_breakers);
    gauge("convene_outbound_waiting", "Deliveries in the outbound queue.", waiting);
    const subscription_pump::figures told = subscribers_.count();
    gauge("convene_webhook_subscriptions", "Subscriptions this worker tells.", told.served);
    gauge("convene_webhook_subscriptions_failing", "Of those, that fail.", told.failing);
    const auto total = [&out](std::string_view name, std::string_view help, std::uint64_t value) {
        out.family(name, "counter", help);
        out.sample(name, {}, static_cast<double>(value));
    };
    total("convene_connections_total", "Connections taken.", counted.connections_accepted);
    total("convene_connections_refused_total", "Beyond the limit.", counted.connections_refused);
    total("convene_hooks_asked_total", "Questions to remote hooks.", hooks.asked);
    total("convene_hooks_failed_total", "Of those, without a verdict.", hooks.failed);
    total("convene_webhook_notices_total", "Framework events told.", told.told);
    total("convene_webhook_failures_total", "Attempts to tell one that failed.", told.failures);
    total("convene_websockets_total", "Sockets opened.", counted.websockets);
    total("convene_received_bytes_total", "Bytes read.", counted.bytes_in);
    total("convene_sent_bytes_total", "Bytes written.", counted.bytes_out);
    out.family("convene_http_refused_total", "counter", "Requests that were none, by reason.");
    for (std::size_t reason = 0; reason < counted.refusals.size(); ++reason) {
        const std::string_view word = text_of(static_cast<http_refusal>(reason)).word;
        out.sample(
            "convene_http_refused_total",
            {{"reason", std::string{word}}},
            static_cast<double>(counted.refusals[reason])
        );
    }
}

/// The API and what operators ask for; everything else is the web app's.
awaitable<http_answer> server_worker::answer(http_request request) {
    const bool is_site = !request.path.starts_with("/api/") && request.path != "/livez" &&
                         request.path != "/readyz" && request.path != "/metrics";
    if (is_site) {
        co_return site_.answer(request);
    }
    auto answered = co_await surface_.front().answer(std::move(request));
    co_return answered;
}

}  // namespace convene
