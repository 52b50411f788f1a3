// SPDX-License-Identifier: Apache-2.0
// Skill service: the row first; then whoever pulls is woken.
#include "skill/skill_service.hpp"

#include <utility>

namespace convene {

namespace {

/// Reading and writing revisions, and looking names up, which may take as long as a resolver does.
constexpr std::size_t file_threads = 3;

/// Of a file that an agent reads: it is shown less of it.
constexpr std::size_t max_read_bytes = std::size_t{256} * 1024;

/// A change that met somebody else's this often gives up.
constexpr int change_tries = 3;

/// How often a pull of another worker is looked at.
constexpr std::chrono::milliseconds glance{200};

audit_entry line_of(audit_entry by, std::string action, const skill_id& id) {
    by.action = std::move(action);
    by.target = id.str();
    return by;
}

/// Nobody would show the secret that it names.
bool lacks_username(const skill& named) {
    return named.source.username.empty() && !named.source.secret.empty();
}

}  // namespace

skill_service::skill_service(skill_service_parts parts, skill_settings with)
    : parts_(parts),
      settings_(std::move(with)),
      folder_(settings_.folder),
      ids_(*parts_.clock, *parts_.random),
      files_(file_threads),
      puller_(skill_puller_parts{
          {parts_.where, &settings_, &folder_, &files_, parts_.secrets, parts_.store},
          parts_.locks,
          parts_.clock,
          parts_.random,
      }) {}

awaitable<result<sharing_proof>> skill_service::prepare() {
    auto preparing = run_on(&files_, [this] { return folder_.prepare(); });
    const result<> prepared = co_await std::move(preparing);
    if (!prepared) {
        co_return prepared.error();
    }
    if (!parts_.store->is_shared_between_processes()) {
        co_return sharing_proof{};  // this process is alone with its folder
    }
    auto proof = co_await prove_shared(
        parts_.store, &files_, parts_.random, "SKILLS_DIR", settings_.folder
    );
    co_return proof;
}

/// Without a user name there is nobody to have a password, and who names a secret needs none.
std::string skill_service::seal(const skill& of, const std::string& password) const {
    if (password.empty() || of.source.username.empty() || !of.source.secret.empty()) {
        return {};
    }
    return parts_.secrets->seal(password, {"skills", of.id.str()}, *parts_.random);
}

/// Puts what a change says into the skill that it has made of `before`.
void skill_service::settle_credentials(
    skill& changed, const skill_source& before, const given_credentials& given
) const {
    skill_source& now = changed.source;
    const bool has_password = given.password && !given.password->empty();
    // They were given for that server, and for that user there.
    const bool is_elsewhere = now.url != before.url || now.username != before.username;
    if (given.secret) {
        now.secret = *given.secret;
    } else if (is_elsewhere || has_password) {
        now.secret = {};
    }
    if (given.password || is_elsewhere || !now.secret.empty()) {
        now.password = seal(changed, given.password.value_or(std::string{}));
    }
}

awaitable<result<skill>> skill_service::create(skill wanted, std::string password, audit_entry by) {
    if (lacks_username(wanted)) {
        co_return errc::invalid_argument;
    }
    ops::list_skills known{wanted.organization};
    const auto others = co_await parts_.store->run(std::move(known));
    if (!others) {
        co_return others.error();
    }
    if (others->size() >= most_skills) {
        co_return errc::overloaded;
    }
    if (wanted.id.empty()) {
        wanted.id = ids_.next<skill_id>();
    }
    wanted.version = 0;
    wanted.source.password = seal(wanted, password);
    audit_entry line = line_of(std::move(by), "skill.added", wanted.id);
    ops::put_skill request{std::move(wanted), std::move(line)};
    auto made = co_await shielded(parts_.store->run(std::move(request)));
    puller_.wake();
    co_return made;
}

awaitable<result<std::vector<skill>>> skill_service::list(organization_id of) {
    ops::list_skills request{std::move(of)};
    auto found = co_await parts_.store->run(std::move(request));
    co_return found;
}

awaitable<result<skill>> skill_service::get(organization_id of, skill_id id) {
    ops::get_skill request{std::move(of), std::move(id)};
    auto found = co_await parts_.store->run(std::move(request));
    co_return found;
}

awaitable<result<skill>> skill_service::change(
    skill_id id, std::function<void(skill&)> apply, given_credentials given, audit_entry by
) {
    for (int tried = 0; tried < change_tries; ++tried) {
        auto known = co_await get(by.organization, id);
        if (!known) {
            co_return known.error();
        }
        const skill_source before = known->source;
        apply(*known);
        settle_credentials(*known, before, given);
        if (lacks_username(*known)) {
            co_return errc::invalid_argument;
        }
        ops::put_skill request{*std::move(known), line_of(by, "skill.changed", id)};
        auto stored = co_await shielded(parts_.store->run(std::move(request)));
        if (stored || stored.error() != errc::room_changed) {
            puller_.wake();
            co_return stored;
        }
    }
    co_return errc::room_contended;
}

awaitable<result<ops::skill_deletion>> skill_service::remove(skill_id id, audit_entry by) {
    organization_id of = by.organization;
    audit_entry line = line_of(std::move(by), "skill.removed", id);
    ops::delete_skill request{std::move(of), std::move(id), std::move(line)};
    auto removed = co_await shielded(parts_.store->run(std::move(request)));
    co_return removed;
}

awaitable<result<skill>> skill_service::want_pull(skill_id id, audit_entry by) {
    organization_id of = by.organization;
    audit_entry line = line_of(std::move(by), "skill.pull_wanted", id);
    ops::want_skill_pull request{std::move(of), std::move(id), std::move(line)};
    auto wanting = co_await shielded(parts_.store->run(std::move(request)));
    puller_.wake();
    co_return wanting;
}

awaitable<result<skill>> skill_service::wait_until_pulled(
    organization_id of, skill_id id, deadline until
) {
    for (;;) {
        auto found = co_await get(of, id);
        const bool is_over = !found || found->state != skill_state::cloning ||
                             until.has_passed(parts_.where->now());
        if (is_over) {
            co_return found;
        }
        const deadline look = until.sooner(deadline{parts_.where->now() + glance});
        auto waiting = with_deadline(look, until_set(&puller_.ended()));
        const result<> waited = co_await std::move(waiting);
        if (!waited && waited.error() == errc::cancelled) {
            co_return waited.error();
        }
    }
}

awaitable<result<loaded_skill>> skill_service::load(
    organization_id of, skill_id id, revision_id revision
) {
    const auto known = co_await get(std::move(of), id);
    if (!known) {
        co_return known.error();
    }
    if (revision.empty()) {
        revision = known->revision;
    }
    if (revision.empty()) {
        co_return skill_errc::not_ready;
    }
    auto loading = run_on(&files_, [this, id, revision] { return folder_.load(id, revision); });
    auto loaded = co_await std::move(loading);
    if (!loaded && loaded.error() == errc::not_found) {
        puller_.fetch(*known, revision);
        co_return skill_errc::not_ready;
    }
    co_return loaded;
}

awaitable<result<std::string>> skill_service::read_file(
    organization_id of, skill_id id, revision_id revision, std::string path
) {
    const auto known = co_await get(std::move(of), id);
    if (!known) {
        co_return known.error();
    }
    auto reading = run_on(&files_, [this, id, revision, path = std::move(path)] {
        return folder_.has(id, revision) ? folder_.read_file(id, revision, path, max_read_bytes)
                                         : result<std::string>{skill_errc::not_ready};
    });
    auto read = co_await std::move(reading);
    if (!read && read.error() == skill_errc::not_ready) {
        puller_.fetch(*known, revision);
    }
    co_return read;
}

}  // namespace convene
