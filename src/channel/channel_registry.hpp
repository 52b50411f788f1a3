// SPDX-License-Identifier: Apache-2.0
// The channel objects of this process, by id.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/channel.hpp"

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace convene {

/// Whether a room of an organisation may use a channel (X1).
[[nodiscard]] inline bool may_use(const channel& used, const organization_id& organization) {
    return used.organization().empty() || used.organization() == organization;
}

/// *Thread safety*: loop only.
class channel_registry {
   public:
    /// *Errors*: `already_exists`; `invalid_argument` for no object or one without an id.
    result<> add(std::shared_ptr<channel> added);

    void remove(const channel_id& id);

    /// Who knows of channels that have come elsewhere: it adds what is missing here. *Errors*: those of the store.
    using finder = std::function<awaitable<result<>>()>;

    void find_missing_by(finder looks) { looks_ = std::move(looks); }

    /// Null if there is none.
    [[nodiscard]] std::shared_ptr<channel> find(const channel_id& id) const;

    /// The same after another look for one that is missing here, which another worker may just have registered.
    /// *Errors*: those of the store.
    [[nodiscard]] awaitable<result<std::shared_ptr<channel>>> look_up(channel_id id) const;

    /// In the order of their ids.
    [[nodiscard]] std::vector<std::shared_ptr<channel>> all() const;

   private:
    std::map<channel_id, std::shared_ptr<channel>> channels_;
    finder looks_;
};

}  // namespace convene
