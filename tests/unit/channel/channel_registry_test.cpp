// SPDX-License-Identifier: Apache-2.0
// The channel registry: one object for each id.
#include "channel/channel_registry.hpp"

#include "convene/channels/scripted_channel.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace convene {
namespace {

std::shared_ptr<channel> named(std::string id) {
    return std::make_shared<scripted_channel>(channel_id{std::move(id)});
}

// A second object under a known id: refused, and the first one stays.
TEST(ChannelRegistry, RefusesASecondObjectUnderAnId) {
    channel_registry registry;
    const auto first = named("sms");
    ASSERT_TRUE(registry.add(first).has_value());
    EXPECT_EQ(registry.add(named("sms")).error(), errc::already_exists);
    EXPECT_EQ(registry.find(channel_id{"sms"}), first);
}

// No object, or one that can't be found by an id.
TEST(ChannelRegistry, RefusesWhatHasNoId) {
    channel_registry registry;
    EXPECT_EQ(registry.add(nullptr).error(), errc::invalid_argument);
    EXPECT_EQ(registry.add(named("")).error(), errc::invalid_argument);
    EXPECT_TRUE(registry.all().empty());
}

// What was removed is not found any more, and its id is free for another object.
// Proves: D12
TEST(ChannelRegistry, ForgetsWhatIsRemoved) {
    channel_registry registry;
    ASSERT_TRUE(registry.add(named("sms")).has_value());
    registry.remove(channel_id{"sms"});
    registry.remove(channel_id{"fax"});
    EXPECT_EQ(registry.find(channel_id{"sms"}), nullptr);
    const auto second = named("sms");
    ASSERT_TRUE(registry.add(second).has_value());
    EXPECT_EQ(registry.find(channel_id{"sms"}), second);
}

// The list has every object, in the order of ids.
TEST(ChannelRegistry, ListsAllByTheirIds) {
    channel_registry registry;
    const auto web = named("web");
    const auto mail = named("mail");
    ASSERT_TRUE(registry.add(web).has_value());
    ASSERT_TRUE(registry.add(mail).has_value());
    EXPECT_EQ(registry.all(), (std::vector<std::shared_ptr<channel>>{mail, web}));
    EXPECT_EQ(registry.find(channel_id{"fax"}), nullptr);
}

}  // namespace
}  // namespace convene
