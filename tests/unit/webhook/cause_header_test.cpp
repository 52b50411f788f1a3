// SPDX-License-Identifier: Apache-2.0
// Causes as a header: they come back as they went out, and nobody makes his own.
#include "webhook/cause_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/documentation.hpp"

namespace convene {

namespace {

using testing::HasSubstr;

constexpr wall_time called_at{seconds{1'767'225'600}};

secret_box box_of(char byte) {
    deployment_key key{};
    key.fill(static_cast<std::uint8_t>(byte));
    return secret_box{key};
}

event_cause some_cause() {
    event_cause cause;
    cause.call = "c";
    cause.organization = organization_id{"acme"};
    cause.event = event_id{"e"};
    cause.cascade = cascade_id{"root"};
    cause.depth = 2;
    cause.budget = 12;
    cause.rooms = {room_id{"r1"}, room_id{"r2"}};
    return cause;
}

boundary_reason refusal_of(const std::string& text, wall_time now = called_at) {
    const auto read = decode_cause(text, box_of(1), now);
    EXPECT_FALSE(read.has_value());
    return read ? boundary_reason{} : read.error().reason;
}

// What goes out with a call comes back as it was, and looks as the page of the format says.
// Proves: R9, R11
TEST(CauseHeader, ComesBackAsItWentOut) {
    const std::string text = encode_cause(some_cause(), box_of(1), called_at);
    const auto read = decode_cause(text, box_of(1), called_at + seconds{600});
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, some_cause());
    EXPECT_THAT(documentation_page("formats/hooks.md"), HasSubstr(text));
}

// A cause that is not ours, was changed or is old is none.
// Proves: R11, X2
TEST(CauseHeader, IsMadeByTheDeploymentAlone) {
    const std::string text = encode_cause(some_cause(), box_of(1), called_at);
    EXPECT_EQ(refusal_of(text, called_at + seconds{601}), boundary_reason::out_of_range);
    EXPECT_EQ(
        refusal_of(encode_cause(some_cause(), box_of(2), called_at)), boundary_reason::malformed
    );
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string changed = text;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        EXPECT_EQ(refusal_of(changed), boundary_reason::malformed) << i;
        EXPECT_EQ(refusal_of(text.substr(0, i)), boundary_reason::malformed) << i;
    }
    EXPECT_EQ(refusal_of(std::string(9000, 'v')), boundary_reason::malformed);
}

}  // namespace

}  // namespace convene
