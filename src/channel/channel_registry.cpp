// SPDX-License-Identifier: Apache-2.0
// Channel registry: one object for each id.
#include "channel/channel_registry.hpp"

namespace convene {

result<> channel_registry::add(std::shared_ptr<channel> added) {
    if (added == nullptr || added->id().empty()) {
        return errc::invalid_argument;
    }
    const bool is_new = channels_.try_emplace(added->id(), added).second;
    if (!is_new) {
        return errc::already_exists;
    }
    return {};
}

void channel_registry::remove(const channel_id& id) { channels_.erase(id); }

std::shared_ptr<channel> channel_registry::find(const channel_id& id) const {
    const auto found = channels_.find(id);
    return found == channels_.end() ? nullptr : found->second;
}

awaitable<result<std::shared_ptr<channel>>> channel_registry::look_up(channel_id id) const {
    std::shared_ptr<channel> known = find(id);
    if (known == nullptr && looks_) {
        const result<> looked = co_await looks_();
        if (!looked) {
            co_return looked.error();
        }
        known = find(id);
    }
    co_return known;
}

std::vector<std::shared_ptr<channel>> channel_registry::all() const {
    std::vector<std::shared_ptr<channel>> listed;
    listed.reserve(channels_.size());
    for (const auto& [id, registered] : channels_) {
        listed.push_back(registered);
    }
    return listed;
}

}  // namespace convene
