// SPDX-License-Identifier: Apache-2.0
// The callback channel: a delivery is a call.
#include "convene/channels/callback_channel.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

/// What the application's side of the channel sees.
struct screen {
    std::vector<std::string> shown;

    static awaitable<send_result> show(screen* self, delivery_request request) {
        self->shown.push_back(request.id.str());
        co_return send_result::sent("shown");
    }
};

// A delivery: the function gets it and its answer is the channel's.
TEST(CallbackChannel, CallsTheFunctionForEachDelivery) {
    manual_loop loop;
    screen on;
    callback_channel channel{channel_id{"screen"}, [&on](delivery_request request) {
                                 return screen::show(&on, std::move(request));
                             }};
    delivery_request request;
    request.id = delivery_id{"d1"};
    const send_result answer = loop.run(channel.deliver(request));
    EXPECT_EQ(answer.outcome.provider_message_id, "shown");
    EXPECT_EQ(on.shown, std::vector<std::string>{"d1"});
}

// Its other end dies with the process, whatever it is set to otherwise.
// Proves: D8
TEST(CallbackChannel, IsBoundToItsProcess) {
    callback_channel_settings slow;
    slow.attempt_deadline = seconds{60};
    const auto refuse = [](delivery_request) -> awaitable<send_result> {
        co_return send_result::failed_for_good("refused", "refused");
    };
    const callback_channel channel{channel_id{"screen"}, refuse, slow};
    EXPECT_TRUE(channel.is_bound_to_process());
    EXPECT_EQ(channel.attempt_deadline(), seconds{60});
    EXPECT_EQ(channel.kind(), channel_kind::transport);
}

}  // namespace
}  // namespace convene
