// SPDX-License-Identifier: Apache-2.0
// Channel service: the row first, then the object.
#include "integration/channel_service.hpp"

#include "convene/wait.hpp"

#include <set>
#include <utility>

#include "base/assert.hpp"
#include "base/log.hpp"
#include "integration/secret_rotation.hpp"
#include "store/operations/channels.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// A change that met somebody else's this often gives up.
constexpr int change_tries = 3;

secret_place place_of(const channel_id& id) { return {"channels", id.str()}; }

audit_entry line_of(acting by, std::string action, const channel_id& id) {
    by.action = std::move(action);
    by.target = id.str();
    return by;
}

}  // namespace

channel_service::channel_service(channel_service_parts parts)
    : parts_(std::move(parts)), ids_(*parts_.clock, *parts_.random) {}

awaitable<result<>> channel_service::load() {
    ops::list_channels all;
    const auto stored = co_await parts_.store->run(std::move(all));
    if (!stored) {
        co_return stored.error();
    }
    for (const registered_channel& one : *stored) {
        const result<> installed = install(one);
        if (!installed) {
            co_return installed;
        }
    }
    co_return result<>{};
}

awaitable<result<>> channel_service::refresh() {
    // What is registered while the list is read may not be in it.
    const std::map<channel_id, std::int64_t> before = installed_;
    ops::list_channels all;
    const auto stored = co_await parts_.store->run(std::move(all));
    if (!stored) {
        co_return stored.error();
    }
    std::set<channel_id> listed;
    for (const registered_channel& one : *stored) {
        listed.insert(one.id);
        const auto known = installed_.find(one.id);
        if (known != installed_.end() && known->second >= one.version) {
            continue;
        }
        const result<> installed = install(one);
        if (!installed) {
            co_return installed;
        }
    }
    for (const auto& [id, version] : before) {
        if (!listed.contains(id)) {
            uninstall(id);
        }
    }
    co_return result<>{};
}

awaitable<result<made_channel>> channel_service::create(
    registered_channel wanted, std::optional<webhook_secret> secret, acting by
) {
    if (!secret) {
        secret = webhook_secret::generate(*parts_.random);
    }
    const webhook_secret first = *secret;
    auto seal = [this, first](registered_channel& made) {
        made.secrets = seal_first(*parts_.secrets, place_of(made.id), first, *parts_.random);
    };
    auto stored = co_await store_new(std::move(wanted), std::move(seal), std::move(by));
    if (!stored) {
        co_return stored.error();
    }
    co_return made_channel{*std::move(stored), first.text()};
}

awaitable<result<registered_channel>> channel_service::create_keyed(
    registered_channel wanted, std::string key, acting by
) {
    auto seal = [this, key](registered_channel& made) { put_key(&made, key); };
    auto stored = co_await store_new(std::move(wanted), std::move(seal), std::move(by));
    co_return stored;
}

void channel_service::put_key(registered_channel* changed, const std::string& key) const {
    changed->secrets = {};
    if (!key.empty()) {
        changed->secrets.current = parts_.secrets->seal(key, place_of(changed->id), *parts_.random);
    }
}

awaitable<result<registered_channel>> channel_service::store_new(
    registered_channel wanted, std::function<void(registered_channel&)> seal, acting by
) {
    ops::list_channels known{wanted.organization};
    const auto others = co_await parts_.store->run(std::move(known));
    if (!others) {
        co_return others.error();
    }
    if (others->size() >= most_registered_channels) {
        co_return errc::overloaded;
    }
    wanted.id = ids_.next<channel_id>();
    wanted.version = 0;
    seal(wanted);
    audit_entry line = line_of(std::move(by), "channel.registered", wanted.id);
    ops::put_channel request{std::move(wanted), std::move(line)};
    auto stored = co_await shielded(parts_.store->run(std::move(request)));
    if (!stored) {
        co_return stored.error();
    }
    const result<> installed = install(*stored);
    if (!installed) {
        co_return installed.error();
    }
    announce(stored->organization);
    co_return stored;
}

awaitable<result<std::vector<registered_channel>>> channel_service::list(organization_id of) {
    ops::list_channels request{std::move(of)};
    auto found = co_await parts_.store->run(std::move(request));
    co_return found;
}

awaitable<result<registered_channel>> channel_service::get(organization_id of, channel_id id) {
    ops::get_channel request{std::move(id)};
    auto found = co_await parts_.store->run(std::move(request));
    if (found && found->organization != of) {
        co_return errc::not_found;
    }
    co_return found;
}

awaitable<result<registered_channel>> channel_service::change(
    channel_id id, std::function<void(registered_channel&)> apply, acting by
) {
    auto changed = co_await store_change(
        std::move(id), std::move(apply), "channel.changed", std::move(by)
    );
    co_return changed;
}

awaitable<result<registered_channel>> channel_service::store_change(
    channel_id id, std::function<void(registered_channel&)> apply, std::string action, acting by
) {
    for (int tried = 0; tried < change_tries; ++tried) {
        auto known = co_await get(by.organization, id);
        if (!known) {
            co_return known.error();
        }
        apply(*known);
        ops::put_channel request{*std::move(known), line_of(by, action, id)};
        auto stored = co_await shielded(parts_.store->run(std::move(request)));
        if (stored) {
            const result<> installed = install(*stored);
            if (!installed) {
                co_return installed.error();
            }
            announce(stored->organization);
            co_return stored;
        }
        if (stored.error() != errc::room_changed) {
            co_return stored.error();
        }
    }
    co_return errc::room_contended;
}

awaitable<result<made_channel>> channel_service::rotate_secret(
    channel_id id, std::optional<webhook_secret> secret, std::chrono::seconds overlap, acting by
) {
    if (!secret) {
        secret = webhook_secret::generate(*parts_.random);
    }
    const webhook_secret next = *secret;
    auto apply = [this, next, overlap](registered_channel& changed) {
        changed.secrets = rotate(
            *parts_.secrets,
            place_of(changed.id),
            changed.secrets,
            next,
            parts_.clock->now() + overlap,
            *parts_.random
        );
    };
    auto changed = co_await store_change(
        std::move(id), std::move(apply), "channel.secret_rotated", std::move(by)
    );
    if (!changed) {
        co_return changed.error();
    }
    co_return made_channel{*std::move(changed), next.text()};
}

awaitable<result<>> channel_service::remove(channel_id id, acting by) {
    organization_id of = by.organization;
    audit_entry line = line_of(std::move(by), "channel.removed", id);
    ops::delete_channel request{of, id, std::move(line)};
    const auto removed = co_await shielded(parts_.store->run(std::move(request)));
    if (!removed) {
        co_return removed.error();
    }
    if (!*removed) {
        co_return errc::not_found;
    }
    uninstall(id);
    announce(of);
    co_return result<>{};
}

awaitable<result<std::shared_ptr<webhook_channel>>> channel_service::look_up(channel_id id) {
    std::shared_ptr<webhook_channel> known = find(id);
    if (known != nullptr || !parts_.store->is_shared_between_processes()) {
        co_return known;
    }
    // Registered on another worker a moment ago, perhaps.
    ops::get_channel request{id};
    const auto stored = co_await parts_.store->run(std::move(request));
    if (!stored && stored.error() == errc::not_found) {
        co_return known;
    }
    if (!stored) {
        co_return stored.error();
    }
    if (is_keyed(stored->type)) {
        co_return known;
    }
    const result<> installed = install(*stored);
    if (!installed) {
        co_return installed.error();
    }
    co_return find(id);
}

void channel_service::announce(const organization_id& changed) const {
    if (announce_) {
        announce_(changed);
    }
}

std::shared_ptr<webhook_channel> channel_service::find(const channel_id& id) const {
    return std::dynamic_pointer_cast<webhook_channel>(parts_.kit->find_channel(id));
}

/// Answers of a store come in the order in which it made the changes, so the newest version comes last.
result<> channel_service::install(const registered_channel& stored) {
    const auto keyed = parts_.keyed.find(stored.type);
    auto made = keyed != parts_.keyed.end() ? make_keyed(stored, keyed->second)
                                            : make_webhook(stored);
    if (!made) {
        return made.error();
    }
    parts_.kit->remove_channel(stored.id);
    installed_.insert_or_assign(stored.id, stored.version);
    if (*made == nullptr) {
        return {};
    }
    return parts_.kit->register_channel(*std::move(made));
}

result<std::shared_ptr<channel>> channel_service::make_webhook(const registered_channel& stored) {
    auto secrets = open_secrets(
        *parts_.secrets, place_of(stored.id), stored.secrets, parts_.clock->now()
    );
    if (!secrets) {
        log(log_level::error, "channel_secret_unreadable", {{"channel", stored.id}});
        return secrets.error();
    }
    webhook_channel::parts parts;
    parts.send = parts_.send;
    parts.clock = parts_.clock;
    parts.box = parts_.secrets;
    parts.on_gone = [this](channel_id id) { return disable_gone(std::move(id)); };
    return std::make_shared<webhook_channel>(stored, *std::move(secrets), std::move(parts));
}

/// Null if the maker can't make it: the channel is as good as not registered here, and all others are served.
result<std::shared_ptr<channel>> channel_service::make_keyed(
    const registered_channel& stored, const keyed_channel_maker& maker
) const {
    std::string key;
    if (!stored.secrets.current.empty()) {
        auto opened = parts_.secrets->open(stored.secrets.current, place_of(stored.id));
        if (!opened) {
            log(log_level::error, "channel_secret_unreadable", {{"channel", stored.id}});
            return opened.error();
        }
        key = *std::move(opened);
    }
    auto made = maker(stored, key);
    if (!made) {
        log(log_level::error, "channel_not_made", {{"channel", stored.id}, {"error", made.error()}}
        );
        return std::shared_ptr<channel>{};
    }
    return made;
}

void channel_service::uninstall(const channel_id& id) {
    parts_.kit->remove_channel(id);
    installed_.erase(id);
}

awaitable<void> channel_service::disable_gone(channel_id id) {
    const std::shared_ptr<webhook_channel> known = find(id);
    if (known == nullptr) {
        co_return;
    }
    acting nobody;
    nobody.organization = known->organization();
    auto apply = [](registered_channel& changed) {
        changed.is_enabled = false;
        changed.disabled_reason = "receiver_gone";
    };
    log(log_level::warn, "channel_receiver_gone", {{"channel", id}});
    const auto stored = co_await store_change(
        id, std::move(apply), "channel.disabled", std::move(nobody)
    );
    if (!stored) {
        log(log_level::warn, "channel_not_disabled", {{"error", stored.error()}});
    }
}

}  // namespace convene
