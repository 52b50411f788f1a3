// SPDX-License-Identifier: Apache-2.0
// What every store promises about an organisation's framework events and about who is told of them.
#include "store/operations/subscriptions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/conformance.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Subscriptions : public conformance {
   protected:
    std::int64_t tell(const std::string& type, const std::string& organization = "acme") {
        framework_event notice;
        notice.type = type;
        notice.organization = organization_id{organization};
        return must(ops::append_notices{{notice}});
    }

    std::vector<std::string> told(std::int64_t after, std::size_t limit = 100) {
        std::vector<std::string> types;
        for (const framework_event& one : must(ops::list_notices_of{acme(), after, limit})) {
            types.push_back(one.type);
        }
        return types;
    }

    static webhook_subscription make_subscription(const std::string& id) {
        webhook_subscription made;
        made.id = subscription_id{id};
        made.organization = acme();
        made.url = "https://example.com/" + id;
        made.secrets = {"sealed", "", {}};
        return made;
    }

    webhook_subscription stored(const std::string& id) {
        return must(ops::get_webhook_subscription{acme(), subscription_id{id}});
    }

    bool note(ops::note_subscription_progress progress) {
        progress.id = subscription_id{"s"};
        return must(std::move(progress));
    }
};

CONVENE_ON_EVERY_STORE(Subscriptions);

// An organisation sees its own events, in order, from any position, and the sequence they all share.
// Proves: R19, X1
TEST_P(Subscriptions, ListOwnEvents) {
    EXPECT_EQ(must(ops::get_last_notice{}), 0);
    tell("a");
    tell("theirs", "globex");
    tell("b");
    EXPECT_EQ(tell("c"), 4);
    EXPECT_EQ(must(ops::get_last_notice{}), 4);
    EXPECT_THAT(told(0), ElementsAre("a", "b", "c"));
    EXPECT_THAT(told(1, 1), ElementsAre("b"));
    EXPECT_THAT(told(3), ElementsAre("c"));
    EXPECT_THAT(told(4), IsEmpty());
}

// Every field comes back; it starts behind what has happened, whatever the request says.
// Proves: R19, S1
TEST_P(Subscriptions, KeepEveryField) {
    tell("before");
    webhook_subscription put = make_subscription("s");
    put.secrets = {"current", "previous", clock().now() + 1h};
    put.event_types = {"event_blocked", "delivery_skipped"};
    put.position = 77;
    put.last_error = "no_reply";
    put.failing_since = clock().now();
    const webhook_subscription made = must(ops::put_webhook_subscription{put});
    put.version = 1;
    put.position = 1;
    put.last_error.clear();
    put.failing_since.reset();
    put.created_at = clock().now();
    put.updated_at = clock().now();
    EXPECT_EQ(made, put);
    EXPECT_EQ(stored("s"), put);
    EXPECT_THAT(must(ops::list_webhook_subscriptions{acme()}), ElementsAre(put));
    EXPECT_THAT(must(ops::list_webhook_subscriptions{}), ElementsAre(put));
    EXPECT_THAT(must(ops::list_webhook_subscriptions{organization_id{"globex"}}), IsEmpty());
}

// A change needs the version that was read, and leaves the position alone.
// Proves: R19, S1
TEST_P(Subscriptions, ChangeOnlyAsTheyWereRead) {
    const webhook_subscription first = must(ops::put_webhook_subscription{make_subscription("s")});
    EXPECT_EQ(
        error_of(ops::put_webhook_subscription{make_subscription("s")}), errc::already_exists
    );
    note({.position = 9});
    webhook_subscription changed = first;
    changed.url = "https://example.com/new";
    const webhook_subscription second = must(ops::put_webhook_subscription{changed});
    EXPECT_EQ(second.position, 9);
    EXPECT_EQ(second.version, 2);
    EXPECT_EQ(error_of(ops::put_webhook_subscription{changed}), errc::room_changed);
    changed = second;
    changed.organization = organization_id{"globex"};
    EXPECT_EQ(error_of(ops::put_webhook_subscription{changed}), errc::not_found);
    const auto theirs = ops::get_webhook_subscription{organization_id{"globex"}, first.id};
    EXPECT_EQ(error_of(theirs), errc::not_found);
    EXPECT_FALSE(must(ops::delete_webhook_subscription{organization_id{"globex"}, first.id}));
    EXPECT_TRUE(must(ops::delete_webhook_subscription{acme(), first.id}));
    EXPECT_FALSE(must(ops::delete_webhook_subscription{acme(), first.id}));
    EXPECT_EQ(error_of(ops::put_webhook_subscription{second}), errc::not_found);
}

// The position never moves back; failures keep the time of the first until a success.
// Proves: R19
TEST_P(Subscriptions, NoteProgress) {
    EXPECT_FALSE(note({.position = 1}));
    must(ops::put_webhook_subscription{make_subscription("s")});
    EXPECT_TRUE(note({.position = 5}));
    const wall_time first_failure = clock().now();
    note({.position = 3, .error = "no_reply"});
    clock().advance(1min);
    note({.position = 5, .error = "receiver_failed"});
    EXPECT_EQ(stored("s").position, 5);
    EXPECT_EQ(stored("s").failing_since, first_failure);
    EXPECT_EQ(stored("s").last_error, "receiver_failed");
    EXPECT_EQ(stored("s").version, 1);
    note({.position = 6});
    EXPECT_EQ(stored("s").failing_since, std::nullopt);
    EXPECT_EQ(stored("s").last_error, "");
}

// One that is given up is disabled with the reason, and the notice that says so; enabling it starts afresh.
// Proves: R19
TEST_P(Subscriptions, AreGivenUpOnRecord) {
    must(ops::put_webhook_subscription{make_subscription("s")});
    framework_event notice;
    notice.type = "webhook_subscription_disabled";
    notice.organization = acme();
    note(
        {.position = 0,
         .error = "no_reply",
         .disable_reason = "failed_for_too_long",
         .notice = notice}
    );
    webhook_subscription disabled = stored("s");
    EXPECT_FALSE(disabled.is_enabled);
    EXPECT_EQ(disabled.disabled_reason, "failed_for_too_long");
    EXPECT_EQ(disabled.version, 2);
    EXPECT_THAT(told(0), ElementsAre("webhook_subscription_disabled"));
    disabled.is_enabled = true;
    disabled.disabled_reason.clear();
    const webhook_subscription again = must(ops::put_webhook_subscription{disabled});
    EXPECT_EQ(again.failing_since, std::nullopt);
    EXPECT_EQ(again.last_error, "");
}

}  // namespace

}  // namespace convene
