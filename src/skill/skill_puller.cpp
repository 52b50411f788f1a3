// SPDX-License-Identifier: Apache-2.0
// Skill puller: one pull of a skill at a time in the whole deployment.
#include "skill/skill_puller.hpp"

#include <utility>
#include <vector>

#include "base/log.hpp"
#include "store/operations/skills.hpp"

namespace convene {

skill_puller::skill_puller(skill_puller_parts parts)
    : parts_(parts), ids_(*parts_.clock, *parts_.random), scope_(*parts_.pull.where) {}

void skill_puller::start() { scope_.spawn("skill puller", run()); }

awaitable<void> skill_puller::stop() {
    scope_.request_stop();
    co_await shielded(scope_.join());
}

awaitable<void> skill_puller::run() {
    const skill_settings& settings = *parts_.pull.settings;
    for (;;) {
        const monotonic_time now = parts_.pull.where->now();
        if (now >= sweep_at_) {
            co_await sweep();
            sweep_at_ = now + settings.sweep_interval;
        }
        co_await take_wanted();
        const deadline look{parts_.pull.where->now() + settings.look_interval};
        auto waiting = with_deadline(look, until_set(&wanted_));
        const result<> woken = co_await std::move(waiting);
        if (!woken && woken.error() != errc::timed_out) {
            co_return;
        }
        wanted_.reset();
    }
}

awaitable<void> skill_puller::take_wanted() {
    ops::list_skills request;
    request.state = skill_state::cloning;
    const auto wanting = co_await parts_.pull.store->run(std::move(request));
    if (!wanting) {
        co_return;  // the store is away; it is looked at again
    }
    for (const skill& one : *wanting) {
        if (pulling_.size() == parts_.pull.settings->pulls_at_once) {
            break;  // whoever ends one looks again
        }
        if (pulling_.insert(one.id).second) {
            scope_.spawn("skill pull", pull(one.organization, one.id));
        }
    }
}

awaitable<void> skill_puller::pull(organization_id of, skill_id id) {
    std::unique_ptr<lease> held = co_await hold(of, id);
    if (held != nullptr) {
        const bool has_ended = co_await pull_under(held.get(), std::move(of), id);
        co_await let_go(std::move(held));
        if (has_ended) {
            wanted_.set();  // another one may wait for this place
        }
    }
    pulling_.erase(id);
    ended_.notify_all();
}

/// False: nothing came of it, and it is looked at again in a while.
awaitable<bool> skill_puller::pull_under(lease* held, organization_id of, skill_id id) {
    ops::begin_skill_pull beginning{std::move(of), id};
    auto begun = co_await parts_.pull.store->run(std::move(beginning));
    if (!begun || begun->state != skill_state::cloning) {
        co_return false;  // gone, or another worker has done it meanwhile
    }
    std::string unique = ids_.next<skill_id>().str();
    auto pulling = pull_revision(parts_.pull, *begun, revision_id{}, std::move(unique));
    auto came = co_await cancelled_by(&held->lost(), std::move(pulling));
    if (!came && is_broken_off(came.error())) {
        co_return false;  // it is still wanted
    }
    if (came && !begun->revision.empty() && *came != begun->revision) {
        // A reader may have looked the one before up a moment ago.
        const skill_folder* const folder = parts_.pull.folder;
        const revision_id before = begun->revision;
        auto touching = run_on(parts_.pull.files, [folder, id, before] {
            folder->touch(id, before);
        });
        const result<> touched = co_await shielded(std::move(touching));
        if (!touched) {
            co_return false;
        }
    }
    const auto ended = co_await shielded(note_end(*std::move(begun), std::move(came)));
    if (ended) {
        co_await prune(*ended);
    }
    co_return ended.has_value();
}

awaitable<result<skill>> skill_puller::note_end(skill begun, pulled<revision_id> came) {
    ops::end_skill_pull end;
    end.organization = begun.organization;
    end.id = begun.id;
    end.epoch = begun.pull_epoch;
    end.wanted = begun.pulls_wanted;
    if (came) {
        end.revision = *came;
        log(log_level::info, "skill_pulled", {{"skill", begun.id}, {"revision", *came}});
    } else {
        end.error = came.error().word;
        end.error_detail = came.error().detail;
        log(log_level::warn, "skill_pull_failed", {{"skill", begun.id}, {"error", end.error}});
    }
    auto ended = co_await parts_.pull.store->run(std::move(end));
    if (!ended) {
        log(log_level::warn, "skill_pull_not_noted", {{"skill", begun.id}, {"error", ended.error()}}
        );
    }
    co_return ended;
}

void skill_puller::fetch(const skill& of, const revision_id& revision) {
    if (fetching_.emplace(of.id, revision).second) {
        scope_.spawn("skill revision", fetch_missing(of, revision));
    }
}

awaitable<void> skill_puller::fetch_missing(skill of, revision_id revision) {
    std::unique_ptr<lease> held = co_await hold(of.organization, of.id);
    if (held != nullptr) {
        std::string unique = ids_.next<skill_id>().str();
        auto pulling = pull_revision(parts_.pull, of, revision, std::move(unique));
        const auto came = co_await cancelled_by(&held->lost(), std::move(pulling));
        if (!came) {
            log(log_level::warn,
                "skill_revision_missing",
                {{"skill", of.id}, {"revision", revision}, {"error", came.error().word}});
        }
        co_await let_go(std::move(held));
    }
    fetching_.erase({of.id, revision});
    ended_.notify_all();
}

/// Null: another worker is at it, or nobody can be.
awaitable<std::unique_ptr<lease>> skill_puller::hold(organization_id of, skill_id id) {
    lease_name name{lease_kind::skill, std::move(of), id.str()};
    auto held = co_await parts_.locks->try_acquire(std::move(name));
    co_return held ? *std::move(held) : nullptr;
}

awaitable<void> skill_puller::let_go(std::unique_ptr<lease> held) {
    const result<> released = co_await shielded(held->release());
    static_cast<void>(released);  // what was done since it was lost, the epoch has fenced
}

/// *Requires*: the skill's lease.
awaitable<void> skill_puller::prune(skill of) {
    ops::list_skill_pins pinned{of.organization, of.id};
    const auto pins = co_await parts_.pull.store->run(std::move(pinned));
    if (!pins) {
        co_return;  // the next pull prunes
    }
    std::set<revision_id> kept{of.revision};
    for (const skill_pin& pin : *pins) {
        kept.insert(pin.revision);
    }
    const skill_folder* const folder = parts_.pull.folder;
    const skill_id id = of.id;
    const auto grace = parts_.pull.settings->prune_grace;
    auto pruning = run_on(parts_.pull.files, [folder, id, kept, grace] {
        return folder->prune(id, kept, grace);
    });
    const auto pruned = co_await shielded(std::move(pruning));
    if (pruned && *pruned != 0) {
        log(log_level::info, "skill_revisions_pruned", {{"skill", id}, {"count", *pruned}});
    }
}

/// What pulls and deletions have left behind. A folder is made after its row: one that has none was deleted.
awaitable<void> skill_puller::sweep() {
    const skill_folder* const folder = parts_.pull.folder;
    auto listing = run_on(parts_.pull.files, [folder] { return folder->skills(); });
    const auto on_disk = co_await std::move(listing);
    ops::list_skills request;
    const auto stored = co_await parts_.pull.store->run(std::move(request));
    if (!on_disk || !stored) {
        co_return;
    }
    std::set<skill_id> known;
    for (const skill& one : *stored) {
        known.insert(one.id);
    }
    const auto grace = parts_.pull.settings->prune_grace;
    for (const skill_id& id : *on_disk) {
        if (!known.contains(id)) {
            auto removing = run_on(parts_.pull.files, [folder, id, grace] {
                folder->remove(id, grace);
            });
            const result<> removed = co_await std::move(removing);
            if (!removed) {
                co_return;
            }
        }
    }
    const std::set<skill_id> folders{on_disk->begin(), on_disk->end()};
    for (const skill& one : *stored) {
        if (folders.contains(one.id)) {
            co_await sweep_one(one);
        }
    }
}

awaitable<void> skill_puller::sweep_one(skill of) {
    std::unique_ptr<lease> held = co_await hold(of.organization, of.id);
    if (held == nullptr) {
        co_return;  // whoever pulls it tidies it
    }
    const skill_folder* const folder = parts_.pull.folder;
    const skill_id id = of.id;
    auto clearing = run_on(parts_.pull.files, [folder, id] { folder->clear_staging(id); });
    const result<> cleared = co_await shielded(std::move(clearing));
    // As it is now: another worker may have pulled it since it was listed.
    ops::get_skill request{of.organization, of.id};
    const auto now = co_await parts_.pull.store->run(std::move(request));
    if (cleared && now) {
        co_await prune(*now);
    }
    co_await let_go(std::move(held));
}

}  // namespace convene
