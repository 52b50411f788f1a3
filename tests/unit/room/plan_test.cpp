// SPDX-License-Identifier: Apache-2.0
// The delivery plan: who gets a row, who is asked to answer, and how far a cascade may go.
#include "room/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/uuid.hpp"
#include "room/agent_recovery.hpp"
#include "room/permissions.hpp"
#include "scene.hpp"

namespace convene {
namespace {

plan_inputs inputs_from(origin from) {
    plan_inputs inputs;
    inputs.from = from;
    inputs.committed_by = incarnation_id{"worker"};
    inputs.is_bound = [](const channel_id& channel) { return channel.str() == "web"; };
    return inputs;
}

/// The rows as text: kind and target.
std::string planned(const scene& room, const room_event& event, const plan_inputs& inputs) {
    std::string text;
    for (const delivery_row& row : plan_deliveries(room.context, event, inputs)) {
        text += std::string{text.empty() ? "" : " "} + std::string{word_of(row.kind)} + ":" +
                row.channel.str();
    }
    return text;
}

std::string planned(const scene& room, const room_event& event, origin from = origin::sent) {
    return planned(room, event, inputs_from(from));
}

// -- rows
// ------------------------------------------------------------------------------------------------

// A person's message goes to the other transports and asks the agents; its own channel has it.
// Proves: D1, R10
TEST(Plan, ReachesEverybodyButTheSource) {
    const scene room;
    EXPECT_EQ(planned(room, said_by_bob("event")), "agent:critic agent:helper channel:sms");
}

// What a row says: ids that stay the same on every attempt, the place, and who executes it.
// Proves: D1, D7
TEST(Plan, FillsTheRows) {
    scene room;
    room.at("web").address = "socket-1";
    room_event event = said_by_ann("event");
    event.index = event_index{7};
    plan_inputs inputs = inputs_from(origin::sent);
    inputs.after_hooks = {hook_id{"audit"}};
    const auto rows = plan_deliveries(room.context, event, inputs);
    ASSERT_EQ(rows.size(), 4U);

    const delivery_row& web = rows[2];
    EXPECT_EQ(web.id, make_delivery_id(event_id{"event"}, "channel:web"));
    EXPECT_EQ(web.event, event_id{"event"});
    EXPECT_EQ(web.room, room_id{"room"});
    EXPECT_EQ(web.index, event_index{7});
    EXPECT_EQ(web.address, "socket-1");
    EXPECT_EQ(web.state, delivery_state::pending);
    EXPECT_EQ(web.committed_by, incarnation_id{"worker"});
    EXPECT_TRUE(web.is_bound);

    EXPECT_EQ(rows[0].id, make_delivery_id(event_id{"event"}, "agent:critic"));
    EXPECT_FALSE(rows[0].is_bound);
    EXPECT_EQ(rows[3].id, make_delivery_id(event_id{"event"}, "hook_after:audit"));
    EXPECT_EQ(rows[3].kind, target_kind::hook_after);
    EXPECT_EQ(rows[3].channel, channel_id{"audit"});
    EXPECT_FALSE(rows[3].is_bound);
}

// After-hooks come last, in their order.
// Proves: R9, D1
TEST(Plan, PutsAfterHooksLast) {
    const scene room;
    plan_inputs inputs = inputs_from(origin::sent);
    inputs.after_hooks = {hook_id{"second"}, hook_id{"first"}};
    EXPECT_EQ(
        planned(room, said_by_the_system("event"), inputs),
        "agent:critic agent:helper channel:sms channel:web hook_after:second hook_after:first"
    );
}

// A blocked event is delivered to nobody and followed by nothing.
// Proves: R10, R9
TEST(Plan, IsEmptyForABlockedEvent) {
    const scene room;
    room_event event = said_by_bob("event");
    event.status = event_status::blocked;
    plan_inputs inputs = inputs_from(origin::sent);
    inputs.after_hooks = {hook_id{"audit"}};
    EXPECT_EQ(planned(room, event, inputs), "");
}

// Who may not read gets no row; who is muted does, and an agent that may not read is not asked.
// Proves: R10, D1
TEST(Plan, NeedsReadAccess) {
    scene room;
    room.at("sms").access = access::write_only;
    room.at("critic").access = access::none;
    room.at("helper").is_muted = true;
    EXPECT_EQ(planned(room, said_by_bob("event")), "agent:helper");
    room.at("sms").access = access::read_only;
    EXPECT_EQ(planned(room, said_by_bob("event")), "agent:helper channel:sms");
}

// A channel that shows the answer while it is made does not get it twice.
// Proves: D6
TEST(Plan, LeavesOutTheChannelThatShowsTheEvent) {
    const scene room;
    plan_inputs inputs = inputs_from(origin::reply);
    inputs.shown_on = channel_id{"web"};
    EXPECT_EQ(planned(room, said("reply", "helper"), inputs), "agent:critic channel:sms");
}

// Delivery and history follow one rule: for every visibility, access and kind of reader, a
// transport gets what its history shows, and an agent is asked about nothing it could not read
// back.
// Proves: R10, D1
TEST(Plan, AgreesWithHistory) {
    using enum visibility::scope;
    const std::vector<visibility> all_visibilities{
        visibility{all},
        visibility{none},
        visibility{transport},
        visibility{intelligence},
        visibility{internal},
        visibility{list_of({"web"})},
        visibility{list_of({"helper", "critic"})},
    };
    const std::vector<access> all_access{
        access::read_write, access::read_only, access::write_only, access::none
    };
    for (const visibility& own : all_visibilities) {
        for (const visibility& of_binding : all_visibilities) {
            for (const access given : all_access) {
                scene room;
                room.at("sms").visibility = of_binding;
                room.at("web").access = given;
                room.at("helper").access = given;
                room_event event = said_by_ann("event");
                event.visibility = own;
                const std::string rows = planned(room, event);
                for (const binding& reader : room.context.bindings) {
                    if (reader.channel == event.source.channel) {
                        continue;
                    }
                    const bool is_planned = rows.find(":" + reader.channel.str()) != rows.npos;
                    const bool is_shown = !visible_history(room.context, reader, {event}).empty();
                    EXPECT_EQ(is_planned, is_shown) << reader.channel.str() << own.text();
                }
            }
        }
    }
}

// -- injected events
// -------------------------------------------------------------------------------------

// An injected event goes to the named transports only, asks nobody, and no hook follows it.
// Proves: R9
TEST(Plan, SendsInjectedEventsToTheirTargets) {
    const scene room;
    plan_inputs inputs = inputs_from(origin::injected);
    inputs.after_hooks = {hook_id{"audit"}};
    EXPECT_EQ(planned(room, said_by_the_system("event"), inputs), "");

    inputs.targets = list_of({"web", "helper", "fax"});
    EXPECT_EQ(planned(room, said_by_the_system("event"), inputs), "channel:web");
}

// Being a target opens nothing that permissions close.
// Proves: R9, R10
TEST(Plan, ChecksTheTargetsOfInjectedEvents) {
    scene room;
    plan_inputs inputs = inputs_from(origin::injected);
    inputs.targets = list_of({"web", "sms"});
    room.at("web").access = access::write_only;
    EXPECT_EQ(planned(room, said_by_the_system("event"), inputs), "channel:sms");

    room_event addressed = said_by_the_system("event");
    addressed.addressed_to = list_of({"helper"});
    EXPECT_EQ(planned(room, addressed, inputs), "channel:sms");
}

// -- who is asked
// ----------------------------------------------------------------------------------------

// Only messages are questions: everything else is shown, and nobody answers it.
// Proves: R17, D1
TEST(Solicitation, IsForMessagesOnly) {
    const scene room;
    for (const event_type type :
         {event_type::system,
          event_type::edit,
          event_type::remove,
          event_type::reaction,
          event_type::tool_call_start,
          event_type::observation}) {
        room_event event = said_by_bob("event");
        event.type = type;
        event.addressed_to = list_of({"helper"});
        EXPECT_EQ(planned(room, event), "channel:sms");
    }
}

// A custom event asks by name only: so a question can be put to agents that is no message of
// anybody's.
// Proves: D1
TEST(Solicitation, IsByNameForCustomEvents) {
    const scene room;
    room_event event = said_by_bob("event");
    event.type = event_type::custom;
    EXPECT_EQ(planned(room, event), "channel:sms");
    event.addressed_to = list_of({"critic"});
    EXPECT_EQ(planned(room, event), "agent:critic channel:sms");
}

// An addressed message asks those it names and nobody else; who sees it does not change.
// Proves: D1
TEST(Solicitation, FollowsTheAddress) {
    const scene room;
    room_event event = said_by_bob("event");
    event.addressed_to = list_of({"helper"});
    EXPECT_EQ(planned(room, event), "agent:helper channel:sms");
    event.addressed_to = list_of({});
    EXPECT_EQ(planned(room, event), "channel:sms");
    event.addressed_to = list_of({"sms"});
    EXPECT_EQ(planned(room, event), "channel:sms");
}

// Agents answer each other where the room wants that, never themselves.
// Proves: D1, R11
TEST(Solicitation, LetsAgentsAnswerEachOther) {
    const scene room;
    EXPECT_EQ(
        planned(room, said("reply", "helper"), origin::reply),
        "agent:critic channel:sms channel:web"
    );
    room_event event = said("reply", "helper");
    event.addressed_to = list_of({"helper", "critic"});
    EXPECT_EQ(planned(room, event, origin::reply), "agent:critic channel:sms channel:web");
}

// Where only addressed agents answer, an agent's word asks nobody, a person's everybody.
// Proves: D1, R11
TEST(Solicitation, KeepsAgentsQuietWhereTheRoomSaysSo) {
    scene room;
    room.context.room.responses = agent_response_policy::addressed_only;
    room_event event = said("reply", "helper");
    EXPECT_EQ(planned(room, event, origin::reply), "channel:sms channel:web");
    event.addressed_to = list_of({"critic"});
    EXPECT_EQ(planned(room, event, origin::reply), "agent:critic channel:sms channel:web");
    EXPECT_EQ(planned(room, said_by_bob("event")), "agent:critic agent:helper channel:sms");
    EXPECT_EQ(
        planned(room, said("event", "fax")), "agent:critic agent:helper channel:sms channel:web"
    );
}

// A greeting is no question; one that is addressed is.
// Proves: D1, D5
TEST(Solicitation, TakesAGreetingForNoQuestion) {
    const scene room;
    room_event event = said("hi", "helper");
    EXPECT_EQ(planned(room, event, origin::greeting), "channel:sms channel:web");
    event.addressed_to = list_of({"critic"});
    EXPECT_EQ(planned(room, event, origin::greeting), "agent:critic channel:sms channel:web");
}

// An answer asks others once, with its first event: not with every segment, and not when it is made
// again.
// Proves: R11, D6, D7
TEST(Solicitation, IsDoneOnceForAnAnswer) {
    const scene room;
    const auto asked = [&](const std::string& key) {
        room_event event = said("segment", "helper");
        event.idempotency_key = key;
        event.addressed_to = list_of({"critic"});
        return planned(room, event, origin::reply) != "channel:sms channel:web";
    };
    const delivery_id row{"row"};
    EXPECT_TRUE(asked(reply_key(row, 0, 0)));
    EXPECT_TRUE(asked(reply_whole_key(row, 0)));
    EXPECT_FALSE(asked(reply_key(row, 0, 1)));
    EXPECT_FALSE(asked(reply_key(row, 0, 10)));
    EXPECT_FALSE(asked(reply_end_key(row, 0)));
    EXPECT_FALSE(asked(reply_key(row, 1, 0)));
    EXPECT_FALSE(asked(reply_whole_key(row, 1)));
    EXPECT_TRUE(asked("a caller's own:1:0"));
}

// An agent that may not see a message is not asked, even by name.
// Proves: R10, D1
TEST(Solicitation, NeedsVisibility) {
    const scene room;
    room_event event = said_by_bob("event");
    event.visibility = visibility{visibility::scope::transport};
    event.addressed_to = list_of({"helper"});
    EXPECT_EQ(planned(room, event), "channel:sms");
}

// -- budget
// ----------------------------------------------------------------------------------------------

// Each of k replies gets its part of what is left after the k replies themselves.
// Proves: R11
TEST(SplitBudget, DividesWhatTheRepliesLeave) {
    EXPECT_EQ(split_budget(50, 1), 49);
    EXPECT_EQ(split_budget(50, 3), 15);
    EXPECT_EQ(split_budget(3, 3), 0);
    EXPECT_EQ(split_budget(2, 3), -1);
    EXPECT_EQ(split_budget(0, 1), -1);
    EXPECT_EQ(split_budget(-1, 1), -1);
}

/// The most events that an event with this budget can cause, whatever number of agents each is
/// answered by.
std::int64_t most_caused(std::int32_t budget) {
    static std::map<std::int32_t, std::int64_t> known;
    if (const auto found = known.find(budget); found != known.end()) {
        return found->second;
    }
    std::int64_t most = 0;
    for (std::size_t agents = 1; agents <= 8; ++agents) {
        const std::int32_t each = split_budget(budget, agents);
        if (each >= 0) {
            const auto count = static_cast<std::int64_t>(agents);
            most = std::max(most, count * (1 + most_caused(each)));
        }
    }
    known[budget] = most;
    return most;
}

// However a cascade branches, at every step differently, it stays within the root's budget; and one
// agent that is answered by one other can use all of it.
// Proves: R11
TEST(SplitBudget, BoundsEveryTree) {
    for (std::int32_t budget = 0; budget <= 500; ++budget) {
        EXPECT_EQ(most_caused(budget), budget);
    }
}

}  // namespace
}  // namespace convene
