// SPDX-License-Identifier: Apache-2.0
// What every store promises about identities, tasks and observations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "store/conformance.hpp"
#include "support/describe.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class People : public conformance {
   protected:
    identity create_person(const std::string& id, organization_id organization = acme()) {
        identity person;
        person.id = identity_id{id};
        person.organization = std::move(organization);
        person.display_name = "Name of " + id;
        person.metadata = json_text::trusted(R"({"vip":true})");
        return must(ops::create_identity{person});
    }

    void link(const std::string& id, const std::string& address, organization_id org = acme()) {
        must(ops::link_address{std::move(org), identity_id{id}, "sms", address});
    }

    /// The id behind an address, or "nobody".
    std::string owner_of(const std::string& address, organization_id organization = acme()) {
        const auto found = must(ops::resolve_identity{std::move(organization), "sms", address});
        return found ? found->id.str() : "nobody";
    }

    room_task add_task(const std::string& id) {
        room_task task;
        task.id = task_id{id};
        task.room = room_id{"r"};
        task.title = "call back";
        task.description = "before noon";
        task.metadata = json_text::trusted(R"({"priority":1})");
        return must(ops::add_task{acme(), task});
    }

    std::vector<std::string> tasks(std::optional<task_status> status = std::nullopt) {
        std::vector<std::string> ids;
        for (const room_task& task : must(ops::list_tasks{acme(), room_id{"r"}, status})) {
            ids.push_back(task.id.str());
        }
        return ids;
    }
};

CONVENE_ON_EVERY_STORE(People);

// An identity is created once and read in its organisation only.
// Proves: X1 (rk:C20)
TEST_P(People, AreCreatedOnce) {
    const identity made = create_person("ann");
    EXPECT_EQ(made.created_at, clock().now());
    EXPECT_EQ(describe(must(ops::get_identity{acme(), identity_id{"ann"}})), describe(made));
    EXPECT_EQ(error_of(ops::create_identity{made}), errc::already_exists);
    const organization_id globex{"globex"};
    EXPECT_EQ(error_of(ops::get_identity{globex, identity_id{"ann"}}), errc::not_found);
    EXPECT_EQ(error_of(ops::get_identity{acme(), identity_id{"bob"}}), errc::not_found);
}

// An address belongs to one identity; linking it again moves it.
// Proves: X1 (rk:C20)
TEST_P(People, OwnAddresses) {
    create_person("ann");
    create_person("bob");
    EXPECT_EQ(owner_of("+1"), "nobody");
    link("ann", "+1");
    link("ann", "+2");
    EXPECT_EQ(owner_of("+1"), "ann");
    link("bob", "+1");
    EXPECT_EQ(owner_of("+1"), "bob");
    EXPECT_EQ(owner_of("+2"), "ann");
    EXPECT_EQ(must(ops::resolve_identity{acme(), "email", "+1"}), std::nullopt);
}

// Addresses are scoped: no organisation finds another's, and a look-up without one finds none that
// has one.
// Proves: X1 (rk:C20)
TEST_P(People, OwnAddressesInTheirOrganization) {
    const organization_id globex{"globex"};
    const organization_id none;
    create_person("ann");
    create_person("gus", globex);
    create_person("free", none);
    link("ann", "+1");
    EXPECT_EQ(owner_of("+1", globex), "nobody");
    EXPECT_EQ(owner_of("+1", none), "nobody");
    link("gus", "+1", globex);
    link("free", "+2", none);
    EXPECT_EQ(owner_of("+1"), "ann");
    EXPECT_EQ(owner_of("+1", globex), "gus");
    EXPECT_EQ(owner_of("+2", none), "free");
    EXPECT_EQ(owner_of("+2"), "nobody");
    const ops::link_address foreign{globex, identity_id{"ann"}, "sms", "+3"};
    EXPECT_EQ(error_of(foreign), errc::not_found);
}

// A task is added once, to a room of its organisation, at the store's time.
// Proves: S1, X1
TEST_P(People, HaveTasks) {
    create("r");
    const room_task made = add_task("t2");
    add_task("t1");
    EXPECT_EQ(made.created_at, clock().now());
    EXPECT_EQ(error_of(ops::add_task{acme(), made}), errc::already_exists);
    EXPECT_EQ(error_of(ops::add_task{organization_id{"globex"}, made}), errc::not_found);
    const auto listed = must(ops::list_tasks{acme(), room_id{"r"}, std::nullopt});
    ASSERT_EQ(listed.size(), 2u);
    EXPECT_EQ(describe(listed[1]), describe(made));
    EXPECT_THAT(
        must(ops::list_tasks{organization_id{"globex"}, room_id{"r"}, std::nullopt}), IsEmpty()
    );
}

// A task changes in what is set and keeps the rest; lists go by status.
// Proves: S1
TEST_P(People, FinishTasks) {
    create("r");
    add_task("t1");
    add_task("t2");
    ops::update_task request;
    request.organization = acme();
    request.room = room_id{"r"};
    request.id = task_id{"t1"};
    request.assigned_to = "bob";
    EXPECT_EQ(must(request).status, task_status::pending);
    request.assigned_to.reset();
    request.status = task_status::completed;
    const room_task done = must(request);
    EXPECT_EQ(done.assigned_to, "bob");
    EXPECT_EQ(done.description, "before noon");
    EXPECT_THAT(tasks(task_status::completed), ElementsAre("t1"));
    EXPECT_THAT(tasks(task_status::pending), ElementsAre("t2"));
    EXPECT_THAT(tasks(), ElementsAre("t1", "t2"));

    request.id = task_id{"absent"};
    EXPECT_EQ(error_of(request), errc::not_found);
    request.id = task_id{"t1"};
    request.organization = organization_id{"globex"};
    EXPECT_EQ(error_of(request), errc::not_found);
}

// Every field of an observation comes back, in its organisation only.
// Proves: S1, X1
TEST_P(People, AreObserved) {
    create("r");
    observation seen;
    seen.id = observation_id{"o"};
    seen.room = room_id{"r"};
    seen.channel = channel_id{"agent"};
    seen.content = "prefers e-mail";
    seen.category = "preference";
    seen.confidence = 0.1;
    seen.metadata = json_text::trusted(R"({"k":[]})");
    ops::commit thinking = batch("r").take();
    thinking.observations = {seen};
    must(thinking);
    seen.created_at = clock().now();
    const auto listed = must(ops::list_observations{acme(), room_id{"r"}});
    EXPECT_EQ(describe(listed), describe(std::vector{seen}));
    EXPECT_THAT(must(ops::list_observations{organization_id{"globex"}, room_id{"r"}}), IsEmpty());
}

}  // namespace

}  // namespace convene
