// SPDX-License-Identifier: Apache-2.0
// Ids we make: the published and the golden vectors, and an order that survives clocks and bursts.
#include "base/uuid.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "support/documentation.hpp"
#include "support/manual_wall_clock.hpp"
#include "support/scripted_random.hpp"

namespace convene {

namespace {

wall_time at_millisecond(std::int64_t count) { return wall_time{milliseconds{count}}; }

// The example of RFC 9562, appendix A.6.
TEST(Uuid7, GivesThePublishedExample) {
    scripted_random random{{0x0C, 0xC3, 0x18, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F}};
    EXPECT_EQ(
        make_uuid7(at_millisecond(0x017F22E279B0), random), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
    );
}

// Whatever the random bits are, version and variant are where readers look for them.
TEST(Uuid7, KeepsVersionAndVariant) {
    scripted_random ones{{0xFF}};
    scripted_random zeros{{0x00}};
    EXPECT_EQ(make_uuid7(at_millisecond(0), ones), "00000000-0000-7fff-bfff-ffffffffffff");
    EXPECT_EQ(make_uuid7(at_millisecond(0), zeros), "00000000-0000-7000-8000-000000000000");
}

TEST(Uuid7, CountsAClockBefore1970AsZero) {
    scripted_random zeros{{0x00}};
    EXPECT_EQ(make_uuid7(at_millisecond(-5), zeros), "00000000-0000-7000-8000-000000000000");
}

class id_generator_test : public testing::Test {
   protected:
    manual_wall_clock clock_;
    id_generator ids_{clock_, system_random()};

    std::string next() { return ids_.next<event_id>().str(); }

    void expect_rising(int count) {
        std::string last = next();
        for (int i = 1; i < count; ++i) {
            const std::string id = next();
            ASSERT_LT(last, id);
            last = id;
        }
    }
};

// More ids in one millisecond than the counter has room for: they borrow from the next.
TEST_F(id_generator_test, RisesWithinAMillisecond) { expect_rising(20'000); }

// NTP, or an operator, sets the clock back an hour: order is kept.
TEST_F(id_generator_test, RisesAcrossAStepBack) {
    const std::string before = next();
    clock_.advance(-std::chrono::hours{1});
    EXPECT_LT(before, next());
    expect_rising(5'000);
}

TEST_F(id_generator_test, FollowsTheClock) {
    constexpr std::size_t length_of_time = 13;
    for (int i = 0; i < 3; ++i) {
        const std::string now = make_uuid7(clock_.now(), system_random());
        EXPECT_EQ(next().substr(0, length_of_time), now.substr(0, length_of_time));
        clock_.advance(milliseconds{1});
    }
}

// Two workers of one millisecond share the time, not the 62 random bits.
TEST_F(id_generator_test, DiffersFromAnotherGeneratorOfTheSameTime) {
    id_generator other{clock_, system_random()};
    std::set<std::string> seen;
    for (int i = 0; i < 1'000; ++i) {
        seen.insert(next());
        seen.insert(other.next<event_id>().str());
    }
    EXPECT_EQ(seen.size(), 2'000U);
}

// The example of RFC 9562, appendix A.4, and one of Python's documentation.
TEST(Uuid5, GivesThePublishedExamples) {
    constexpr std::string_view dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
    EXPECT_EQ(uuid5(dns, "www.example.com"), "2ed6657d-e927-568b-95e1-2665a8aea6a2");
    EXPECT_EQ(uuid5(dns, "python.org"), "886313e1-3b8a-5372-9b90-0c9aee199e5d");
    EXPECT_EQ(
        uuid5("6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "python.org"),
        "886313e1-3b8a-5372-9b90-0c9aee199e5d"
    );
}

TEST(Uuid5DeathTest, NeedsANamespaceThatIsAUuid) {
    EXPECT_DEATH(static_cast<void>(uuid5("deliveries", "x")), "not a UUID");
    EXPECT_DEATH(static_cast<void>(uuid5("6ba7b810-9dad-11d1-80b4-00c04fd430cz", "x")), "not hex");
}

// Receivers recognise a repeated delivery by this id: it is the same for ever.
TEST(DeliveryId, GivesTheGoldenVectors) {
    const std::string page = documentation_page("formats/ids.md");
    const auto expect_golden =
        [&](const std::string& event, const std::string& target, const std::string& delivery) {
            EXPECT_EQ(make_delivery_id(event_id{event}, target).str(), delivery);
            const std::string row = "| `" + event + "` | `" + target + "` | `" + delivery + "` |\n";
            EXPECT_NE(page.find(row), std::string::npos) << row;
        };
    const std::string event = "01890a5d-ac96-774b-bcce-b302099a8057";
    expect_golden(event, "sms-1", "8ae82a7d-04de-5cd9-a0c7-622262b1e9cb");
    expect_golden(event, "sms-2", "9ebe2531-97f8-54e0-a510-182d5e5a2600");
    expect_golden("e", "部屋", "ee3f5c01-f9ff-58d0-887a-01a5739727cc");
}

// Moving a character from the target to the event id makes another delivery.
TEST(DeliveryId, TellsEventAndTargetApart) {
    EXPECT_NE(make_delivery_id(event_id{"ab"}, "c"), make_delivery_id(event_id{"a"}, "bc"));
}

}  // namespace

}  // namespace convene
