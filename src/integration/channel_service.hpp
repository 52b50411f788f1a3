// SPDX-License-Identifier: Apache-2.0
// Registered channels as the surfaces use them: made, changed, and present in the engine from then on.
#pragma once

#include "convene/random.hpp"
#include "convene/room_kit.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/secret_box.hpp"
#include "base/uuid.hpp"
#include "integration/webhook_channel.hpp"
#include "net/http_sender.hpp"
#include "store/access_values.hpp"

namespace convene {

class conversation_store;

/// Makes the object of a stored channel whose secret is a key for somebody else's service. `key`: empty for none.
using keyed_channel_maker = std::function<
    result<std::shared_ptr<channel>>(const registered_channel& stored, const std::string& key)>;

/// Owns none; they outlive the service. `kit` may be started later, but before the first change.
struct channel_service_parts {
    room_kit* kit = nullptr;
    conversation_store* store = nullptr;
    const wall_clock* clock = nullptr;
    random_source* random = nullptr;
    const secret_box* secrets = nullptr;
    http_sender send;
    std::map<std::string, keyed_channel_maker> keyed{};  ///< by type; all others are webhooks
};

/// Channels that one organisation can have.
inline constexpr std::size_t most_registered_channels = 500;

/// How long the secret before is still good, where nobody says.
inline constexpr std::chrono::hours default_secret_overlap{24};

/// With the secret's text, which is shown this once.
struct made_channel {
    registered_channel channel;
    std::string secret;
};

/// Whoever acts: organisation, actor and peer of the line in the audit trail. The rest is the service's.
using acting = audit_entry;

/// *Thread safety*: loop only. *Lifetime*: the objects that it registers refer to it; it outlives the kit's last
/// delivery. *Errors*: each operation's own, and those of the store; what belongs to another organisation is
/// `not_found`.
class channel_service {
   public:
    explicit channel_service(channel_service_parts parts);

    channel_service(const channel_service&) = delete;
    channel_service& operator=(const channel_service&) = delete;

    /// Who is told whose channels were changed here, for other workers. Before the first change.
    void announce_to(std::function<void(const organization_id&)> told) {
        announce_ = std::move(told);
    }

    /// Gives the engine an object for each stored channel. Before the kit starts, so that nothing that was left
    /// undelivered meets a channel that is not there. *Errors*: `corrupt_data` (a secret was sealed under
    /// another key).
    [[nodiscard]] awaitable<result<>> load();

    /// Takes up what other workers registered, changed or removed. *Errors*: as `load`.
    [[nodiscard]] awaitable<result<>> refresh();

    /// Id, times and secret are made, the secret unless one is given.
    /// *Errors*: `overloaded` (the organisation has as many as it can).
    [[nodiscard]] awaitable<result<made_channel>> create(
        registered_channel wanted, std::optional<webhook_secret> secret, acting by
    );

    /// The same for a channel with a key, of which nothing is shown.
    [[nodiscard]] awaitable<result<registered_channel>> create_keyed(
        registered_channel wanted, std::string key, acting by
    );

    /// Seals another key into a channel, for `change`; an empty one takes the key away.
    void put_key(registered_channel* changed, const std::string& key) const;

    /// Whether channels of this type have a key, not a secret that is shown once.
    [[nodiscard]] bool is_keyed(const std::string& type) const {
        return parts_.keyed.contains(type);
    }

    [[nodiscard]] awaitable<result<std::vector<registered_channel>>> list(organization_id of);

    [[nodiscard]] awaitable<result<registered_channel>> get(organization_id of, channel_id id);

    /// `apply` sees the channel as it is now, perhaps more than once. *Errors*: `room_contended` (others changed
    /// it each time).
    [[nodiscard]] awaitable<result<registered_channel>> change(
        channel_id id, std::function<void(registered_channel&)> apply, acting by
    );

    /// The secret before stays good for `overlap`. *Errors*: as `change`. *Requires*: a channel without a key.
    [[nodiscard]] awaitable<result<made_channel>> rotate_secret(
        channel_id id, std::optional<webhook_secret> secret, std::chrono::seconds overlap, acting by
    );

    /// *Errors*: `not_found`.
    [[nodiscard]] awaitable<result<>> remove(channel_id id, acting by);

    /// The webhook channel that is registered; null for none. One that this worker has not heard of is looked up.
    [[nodiscard]] awaitable<result<std::shared_ptr<webhook_channel>>> look_up(channel_id id);

   private:
    [[nodiscard]] awaitable<result<registered_channel>> store_new(
        registered_channel wanted, std::function<void(registered_channel&)> seal, acting by
    );
    [[nodiscard]] awaitable<result<registered_channel>> store_change(
        channel_id id, std::function<void(registered_channel&)> apply, std::string action, acting by
    );
    [[nodiscard]] std::shared_ptr<webhook_channel> find(const channel_id& id) const;
    void announce(const organization_id& changed) const;
    void uninstall(const channel_id& id);
    [[nodiscard]] result<> install(const registered_channel& stored);
    [[nodiscard]] result<std::shared_ptr<channel>> make_webhook(const registered_channel& stored);
    [[nodiscard]] result<std::shared_ptr<channel>> make_keyed(
        const registered_channel& stored, const keyed_channel_maker& maker
    ) const;
    [[nodiscard]] awaitable<void> disable_gone(channel_id id);

    // fixed after construction
    const channel_service_parts parts_;

    // touched on the loop only
    std::function<void(const organization_id&)> announce_;
    id_generator ids_;
    std::map<channel_id, std::int64_t> installed_;  ///< the version of each
};

}  // namespace convene
