// SPDX-License-Identifier: Apache-2.0
// Registered channels in a whole engine: present where they are used, and only for their own organisation.
#include "integration/channel_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "store/operations/channels.hpp"
#include "support/kit_scene.hpp"
#include "unit/integration/played_receiver.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::string url = "https://example.com/hook";

class ChannelService : public testing::Test {
   protected:
    ChannelService() { scene_.open(); }

    [[nodiscard]] std::unique_ptr<channel_service> make_service(deployment_key key = {}) {
        boxes_.push_back(std::make_unique<secret_box>(key));
        return std::make_unique<channel_service>(channel_service_parts{
            scene_.kit.get(),
            &scene_.store,
            &scene_.world->clock,
            &system_random(),
            boxes_.back().get(),
            receiver_.sender(),
        });
    }

    static acting by(std::string organization = {}) {
        acting who;
        who.organization = organization_id{std::move(organization)};
        who.actor = "user:ann";
        return who;
    }

    template <class T>
    T run(awaitable<result<T>> work) {
        auto answer = scene_.loop.run(std::move(work));
        EXPECT_TRUE(answer.has_value()) << answer.error().message();
        return std::move(answer).value();
    }

    /// A channel of the organisation that room `r` is in.
    made_channel create(std::string organization = {}) {
        registered_channel wanted;
        wanted.organization = organization_id{organization};
        wanted.type = std::string{webhook_channel_type};
        wanted.url = url;
        wanted.retry = retry_policy{0, 1s, 1s, 1.0};
        return run(service_->create(std::move(wanted), std::nullopt, by(std::move(organization))));
    }

    result<binding> attach(const channel_id& id) {
        binding attached;
        attached.room = room_id{"r"};
        attached.channel = id;
        return scene_.loop.run(scene_.kit->attach_channel({}, std::move(attached)));
    }

    /// What became of the channel's row of the last event that was sent.
    std::string deliver(const channel_id& id) {
        const auto receipt = scene_.send(kit_scene::says("hello"));
        EXPECT_TRUE(receipt.has_value());
        for (const target_result& target : receipt->targets) {
            if (target.channel == id) {
                return std::string{word_of(target.state)} + " " + target.outcome.error_code;
            }
        }
        return "none";
    }

    [[nodiscard]] registered_channel stored(const channel_id& id) {
        return scene_.ask(ops::get_channel{id});
    }

    kit_scene scene_;
    played_receiver receiver_;
    std::vector<std::unique_ptr<secret_box>> boxes_;
    std::unique_ptr<channel_service> service_ = make_service();
};

// From the moment it is registered a channel can be attached and is delivered to, signed with the secret that was
// shown; the row has no secret in it, and the audit trail has its line.
// Proves: D12, X3
TEST_F(ChannelService, DeliversToWhatWasRegistered) {
    const made_channel made = create();
    ASSERT_TRUE(attach(made.channel.id).has_value());
    EXPECT_EQ(deliver(made.channel.id), "done ");
    ASSERT_THAT(receiver_.got, SizeIs(1));
    const auto secret = webhook_secret::parse(made.secret);
    ASSERT_TRUE(secret.has_value());
    EXPECT_TRUE(is_signed_with(receiver_.got.front(), *secret, scene_.world->clock.now()));
    EXPECT_EQ(stored(made.channel.id).secrets.current.find(made.secret), std::string::npos);
    const auto lines = scene_.ask(ops::list_audit{organization_id{}, std::nullopt, 10});
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_EQ(lines.front().action, "channel.registered");
    EXPECT_EQ(lines.front().actor, "user:ann");
    EXPECT_EQ(lines.front().target, made.channel.id.str());
}

// A worker that starts knows the channels that are stored before it takes up what was left.
// Proves: D7, D12
TEST_F(ChannelService, IsThereAfterARestart) {
    const made_channel made = create();
    ASSERT_TRUE(attach(made.channel.id).has_value());
    scene_.kit->remove_channel(made.channel.id);
    EXPECT_EQ(deliver(made.channel.id), "failed channel_not_registered");
    const std::unique_ptr<channel_service> later = make_service();
    ASSERT_TRUE(scene_.loop.run(later->load()).has_value());
    EXPECT_EQ(deliver(made.channel.id), "done ");
    scene_.kit->remove_channel(made.channel.id);
}

// With another key nothing starts: its secrets would be lost without a word.
// Proves: X3
TEST_F(ChannelService, RefusesAnotherKey) {
    create();
    deployment_key other{};
    other[0] = 1;
    const std::unique_ptr<channel_service> later = make_service(other);
    EXPECT_EQ(scene_.loop.run(later->load()).error(), make_error_code(errc::corrupt_data));
}

// A change is in effect with the next delivery, wherever the channel is attached.
// Proves: D12
TEST_F(ChannelService, ChangesTakeEffectAtOnce) {
    const made_channel made = create();
    ASSERT_TRUE(attach(made.channel.id).has_value());
    auto move = [](registered_channel& changed) { changed.url = "https://example.com/new"; };
    EXPECT_EQ(run(service_->change(made.channel.id, move, by())).version, 2);
    deliver(made.channel.id);
    EXPECT_THAT(receiver_.bodies("https://example.com/new"), SizeIs(1));
    EXPECT_THAT(receiver_.bodies(url), IsEmpty());

    auto disable = [](registered_channel& changed) { changed.is_enabled = false; };
    run(service_->change(made.channel.id, disable, by()));
    EXPECT_EQ(deliver(made.channel.id), "failed channel_disabled");

    ASSERT_TRUE(scene_.loop.run(service_->remove(made.channel.id, by())).has_value());
    EXPECT_EQ(deliver(made.channel.id), "failed channel_not_registered");
    EXPECT_EQ(
        scene_.loop.run(service_->remove(made.channel.id, by())).error(),
        make_error_code(errc::not_found)
    );
}

// A new secret signs from then on, the one before beside it for as long as was said.
// Proves: X2, X3
TEST_F(ChannelService, RotatesSecrets) {
    const made_channel made = create();
    ASSERT_TRUE(attach(made.channel.id).has_value());
    const made_channel next = run(
        service_->rotate_secret(made.channel.id, std::nullopt, 3600s, by())
    );
    EXPECT_NE(next.secret, made.secret);
    const auto signs = [&](const std::string& text) {
        const auto secret = webhook_secret::parse(text);
        return secret && is_signed_with(receiver_.got.back(), *secret, scene_.world->clock.now());
    };
    deliver(made.channel.id);
    EXPECT_TRUE(signs(next.secret));
    EXPECT_TRUE(signs(made.secret));
    scene_.world->clock.advance(1h);
    deliver(made.channel.id);
    EXPECT_TRUE(signs(next.secret));
    EXPECT_FALSE(signs(made.secret));
}

// A receiver that says it is gone is not asked again, and the reason is there to see.
// Proves: D12
TEST_F(ChannelService, DisablesWhatIsGone) {
    const made_channel made = create();
    ASSERT_TRUE(attach(made.channel.id).has_value());
    receiver_.answers[url] = 410;
    EXPECT_EQ(deliver(made.channel.id), "failed receiver_gone");
    EXPECT_FALSE(stored(made.channel.id).is_enabled);
    EXPECT_EQ(stored(made.channel.id).disabled_reason, "receiver_gone");
    EXPECT_EQ(deliver(made.channel.id), "failed channel_disabled");
    EXPECT_THAT(receiver_.got, SizeIs(1));
}

// Rooms of another organisation can't attach a channel, messages can't name it, and nobody there changes it.
// Proves: X1
TEST_F(ChannelService, BelongsToItsOrganisation) {
    const made_channel theirs = create("globex");
    EXPECT_EQ(attach(theirs.channel.id).error(), make_error_code(errc::channel_not_registered));
    inbound_message message;
    message.channel = theirs.channel.id;
    message.sender = "555";
    message.content = content::text("hello");
    const auto taken = scene_.loop.run(
        scene_.kit->process_inbound(std::move(message), wait_for::committed)
    );
    EXPECT_EQ(taken.error(), make_error_code(errc::channel_not_registered));
    auto nothing = [](registered_channel&) {};
    EXPECT_EQ(
        scene_.loop.run(service_->change(theirs.channel.id, nothing, by())).error(),
        make_error_code(errc::not_found)
    );
    EXPECT_EQ(
        scene_.loop.run(service_->get({}, theirs.channel.id)).error(),
        make_error_code(errc::not_found)
    );
    EXPECT_THAT(run(service_->list({})), IsEmpty());
    EXPECT_THAT(run(service_->list(organization_id{"globex"})), SizeIs(1));
}

// Five failures open the breaker of one channel: its deliveries wait in the queue, others go on, and what happened
// is a framework event, once.
// Proves: D12, R19
TEST_F(ChannelService, OneFailingChannelFailsAlone) {
    const made_channel bad = create();
    const made_channel good = create();
    auto move = [](registered_channel& changed) { changed.url = "https://example.com/good"; };
    run(service_->change(good.channel.id, move, by()));
    ASSERT_TRUE(attach(bad.channel.id).has_value());
    ASSERT_TRUE(attach(good.channel.id).has_value());
    receiver_.answers[url] = 500;
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(deliver(bad.channel.id), "failed receiver_failed");
    }
    EXPECT_EQ(deliver(bad.channel.id), "deferred circuit_breaker_open");
    EXPECT_THAT(receiver_.bodies("https://example.com/good"), SizeIs(6));
    EXPECT_THAT(scene_.notices("circuit_breaker_opened"), SizeIs(1));

    const auto destinations = scene_.kit->destinations();
    ASSERT_THAT(destinations, SizeIs(1));
    EXPECT_EQ(destinations.front().channel, bad.channel.id);
    EXPECT_EQ(destinations.front().breaker, room_kit::breaker_state::open);
    EXPECT_EQ(destinations.front().waiting, 1);
}

}  // namespace
}  // namespace convene
