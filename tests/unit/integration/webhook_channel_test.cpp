// SPDX-License-Identifier: Apache-2.0
// The webhook channel: what it sends, how it signs, and what it makes of answers.
#include "integration/webhook_channel.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/canonical_json.hpp"
#include "runtime/manual_loop.hpp"
#include "support/manual_wall_clock.hpp"
#include "unit/integration/played_receiver.hpp"
#include "webhook/cause_header.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

const std::string url = "https://example.com/hook";

class WebhookChannel : public testing::Test {
   protected:
    WebhookChannel() {
        record_.id = channel_id{"c1"};
        record_.organization = organization_id{"acme"};
        record_.type = "webhook";
        record_.url = url;
        record_.secrets.previous = "sealed";
        record_.secrets.previous_until = clock_.now() + 1h;
        record_.attempt_deadline = 2s;
    }

    static awaitable<void> note(std::string* into, channel_id id) {
        *into = id.str();
        co_return;
    }

    [[nodiscard]] std::shared_ptr<webhook_channel> make() {
        webhook_channel::parts parts;
        parts.send = receiver_.sender();
        parts.clock = &clock_;
        parts.box = &box_;
        parts.on_gone = [this](channel_id id) { return note(&gone_, std::move(id)); };
        return std::make_shared<webhook_channel>(
            record_, std::vector<webhook_secret>{current_, previous_}, std::move(parts)
        );
    }

    [[nodiscard]] delivery_request request() const {
        delivery_request sent;
        sent.id = delivery_id{"d-1"};
        sent.attempt = 3;
        sent.event.id = event_id{"e-1"};
        sent.event.room = room_id{"r"};
        sent.event.index = event_index{7};
        sent.event.content = content::text("hello");
        sent.event.source.participant = participant_id{"ann"};
        sent.event.created_at = clock_.now();
        sent.binding.channel = record_.id;
        sent.binding.address = "555";
        return sent;
    }

    send_result deliver() { return loop_.run(make()->deliver(request())); }

    manual_loop loop_;
    manual_wall_clock clock_;
    played_receiver receiver_;
    webhook_secret current_ = webhook_secret::generate(system_random());
    webhook_secret previous_ = webhook_secret::generate(system_random());
    registered_channel record_;
    secret_box box_{deployment_key{}};
    std::string gone_;
};

// A delivery is a POST of the event, with the delivery's id as `webhook-id`.
// Proves: D12, X2
TEST_F(WebhookChannel, PostsTheEvent) {
    EXPECT_EQ(deliver().what, send_result::verdict::sent);
    ASSERT_EQ(receiver_.got.size(), 1U);
    const http_call& call = receiver_.got.front();
    EXPECT_EQ(call.method, http_method::post);
    EXPECT_EQ(call.url, url);
    EXPECT_EQ(call.headers.find("webhook-id"), "d-1");
    EXPECT_EQ(call.headers.find("convene-attempt"), "3");
    EXPECT_EQ(call.headers.find("content-type"), "application/json");
    EXPECT_EQ(find_text(call.body, "type"), "room.event");
    const std::string_view data = find_member(call.body, "data").value_or("");
    EXPECT_EQ(find_text(data, "delivery_id"), "d-1");
    EXPECT_EQ(find_text(data, "channel_id"), "c1");
    EXPECT_EQ(find_text(data, "address"), "555");
    const std::string_view event = find_member(data, "event").value_or("");
    EXPECT_EQ(find_text(event, "id"), "e-1");
    EXPECT_EQ(find_member(event, "index"), "7");
    EXPECT_EQ(find_text(event, "text"), "hello");
}

// A delivery carries the cause of what it leads to, signed by the deployment; one without a cause has no such field.
// Proves: R11
TEST_F(WebhookChannel, CarriesTheCause) {
    deliver();
    EXPECT_FALSE(receiver_.got.back().headers.find(cause_header));
    delivery_request caused = request();
    caused.cause.emplace();
    caused.cause->call = "d-1";
    caused.cause->organization = organization_id{"acme"};
    caused.cause->event = event_id{"e-1"};
    caused.cause->rooms = {room_id{"r"}};
    loop_.run(make()->deliver(caused));
    const auto sent = receiver_.got.back().headers.find(cause_header);
    ASSERT_TRUE(sent);
    const auto read = decode_cause(*sent, box_, clock_.now());
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, *caused.cause);
}

// While a secret is replaced either verifies; afterwards only the new one does.
// Proves: X2
TEST_F(WebhookChannel, SignsWithBothSecretsForAWhile) {
    deliver();
    EXPECT_TRUE(is_signed_with(receiver_.got.back(), current_, clock_.now()));
    EXPECT_TRUE(is_signed_with(receiver_.got.back(), previous_, clock_.now()));
    clock_.advance(1h);
    deliver();
    EXPECT_TRUE(is_signed_with(receiver_.got.back(), current_, clock_.now()));
    EXPECT_FALSE(is_signed_with(receiver_.got.back(), previous_, clock_.now()));
}

// A receiver that hangs costs its own deadline and is tried again.
// Proves: D12
TEST_F(WebhookChannel, GivesUpWaitingAtItsDeadline) {
    receiver_.hanging.push_back(url);
    const monotonic_time before = loop_.now();
    const send_result result = deliver();
    EXPECT_EQ(loop_.now() - before, 2s);
    EXPECT_EQ(result.outcome.error_code, "no_reply");
    EXPECT_TRUE(result.outcome.is_retryable);
}

// One that says it is gone is reported, so that nothing more is sent there.
// Proves: D12
TEST_F(WebhookChannel, ReportsAReceiverThatIsGone) {
    receiver_.answers[url] = 500;
    deliver();
    EXPECT_EQ(gone_, "");
    receiver_.answers[url] = 410;
    const send_result result = deliver();
    EXPECT_EQ(result.outcome.error_code, "receiver_gone");
    EXPECT_FALSE(result.outcome.is_retryable);
    EXPECT_EQ(gone_, "c1");
}

}  // namespace
}  // namespace convene
