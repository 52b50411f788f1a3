// SPDX-License-Identifier: Apache-2.0
// The channel objects of this process, by id.
#pragma once

#include "convene/channel.hpp"

#include <map>
#include <memory>
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

    /// Null if there is none.
    [[nodiscard]] std::shared_ptr<channel> find(const channel_id& id) const;

    /// In the order of their ids.
    [[nodiscard]] std::vector<std::shared_ptr<channel>> all() const;

   private:
    std::map<channel_id, std::shared_ptr<channel>> channels_;
};

}  // namespace convene
