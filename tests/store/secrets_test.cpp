// SPDX-License-Identifier: Apache-2.0
// What every store promises about secrets, and about the skills that name them.
#include "store/operations/secrets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/conformance.hpp"
#include "store/operations/retention.hpp"
#include "store/operations/skills.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Secrets : public conformance {
   protected:
    static organization_id globex() { return organization_id{"globex"}; }

    ops::put_secret::answer put(
        const std::string& name,
        const std::string& value = "sealed",
        const organization_id& of = acme()
    ) {
        ops::put_secret request;
        request.secret.organization = of;
        request.secret.name = secret_name{name};
        request.secret.value = value;
        request.secret.description = "About " + name;
        request.audit = line("put");
        return must(request);
    }

    static skill naming(
        const std::string& id, const std::string& secret, const organization_id& of = acme()
    ) {
        skill made;
        made.id = skill_id{id};
        made.organization = of;
        made.name = "Name of " + id;
        made.source.url = "https://example.com/" + id;
        made.source.username = "user";
        made.source.secret = secret_name{secret};
        return made;
    }

    ops::delete_secret::answer remove(const std::string& name, const organization_id& of = acme()) {
        return must(ops::delete_secret{of, secret_name{name}, line("removed")});
    }

    static audit_entry line(const std::string& action) {
        audit_entry entry;
        entry.organization = acme();
        entry.action = action;
        return entry;
    }

    std::vector<std::string> audited() {
        std::vector<std::string> actions;
        for (const audit_entry& entry : must(ops::list_audit{acme(), std::nullopt, 100})) {
            actions.push_back(entry.action);
        }
        return actions;
    }

    std::vector<std::string> listed(const organization_id& of = acme()) {
        std::vector<std::string> names;
        for (const listed_secret& one : must(ops::list_secrets{of})) {
            names.push_back(one.secret.name.str());
        }
        return names;
    }
};

CONVENE_ON_EVERY_STORE(Secrets);

// Every field comes back; whoever puts another value keeps when it was made. Each change has its line of the audit
// trail. Lists tell no value.
// Proves: X3, K1
TEST_P(Secrets, AreReplacedByName) {
    const wall_time made_at = clock().now();
    const ops::put_secret::answer first = put("token", "one");
    EXPECT_TRUE(first.is_new);
    EXPECT_EQ(first.stored.secret.created_at, made_at);
    clock().advance(1s);
    const ops::put_secret::answer second = put("token", "two");
    EXPECT_FALSE(second.is_new);
    EXPECT_EQ(second.stored.secret.value, "");
    const named_secret kept = must(ops::get_secret{acme(), secret_name{"token"}});
    EXPECT_EQ(kept.organization, acme());
    EXPECT_EQ(kept.name, secret_name{"token"});
    EXPECT_EQ(kept.value, "two");
    EXPECT_EQ(kept.description, "About token");
    EXPECT_EQ(kept.created_at, made_at);
    EXPECT_EQ(kept.updated_at, made_at + 1s);
    put("another");
    EXPECT_THAT(listed(), ElementsAre("another", "token"));
    for (const listed_secret& one : must(ops::list_secrets{acme()})) {
        EXPECT_EQ(one.secret.value, "");
    }
    EXPECT_THAT(audited(), ElementsAre("put", "put", "put"));
}

// A skill can't name what is not there, or another organisation's; it is left as it was.
// Proves: X1, K1
TEST_P(Secrets, AreThereForWhoeverNamesThem) {
    put("theirs", "sealed", globex());
    EXPECT_EQ(error_of(ops::put_skill{naming("a", "theirs"), line("no")}), errc::invalid_argument);
    EXPECT_EQ(error_of(ops::get_skill{acme(), skill_id{"a"}}), errc::not_found);
    put("mine");
    const skill made = must(ops::put_skill{naming("a", "mine")});
    EXPECT_EQ(made.source.secret, secret_name{"mine"});
    EXPECT_EQ(must(ops::get_skill{acme(), made.id}), made);
    skill changed = made;
    changed.source.secret = secret_name{"theirs"};
    EXPECT_EQ(error_of(ops::put_skill{changed, line("no")}), errc::invalid_argument);
    EXPECT_EQ(must(ops::get_skill{acme(), made.id}), made);
    EXPECT_EQ(error_of(ops::get_secret{acme(), secret_name{"theirs"}}), errc::not_found);
    EXPECT_EQ(remove("theirs").outcome, ops::secret_deletion::not_found);
    EXPECT_THAT(audited(), ElementsAre("put", "put"));
}

// Whoever asks for another secret than before wants a pull with it.
// Proves: K1
TEST_P(Secrets, AnotherOneIsPulledWith) {
    put("one");
    put("two");
    skill known = must(ops::put_skill{naming("a", "one")});
    known.source.secret = secret_name{"two"};
    EXPECT_EQ(must(ops::put_skill{known}).pulls_wanted, known.pulls_wanted + 1);
}

// While skills name a secret it stays, and whoever wants it gone is told which they are.
// Proves: X3, K1
TEST_P(Secrets, StayWhileTheyAreNamed) {
    put("token");
    put("other");
    const skill second = must(ops::put_skill{naming("b", "token")});
    const skill first = must(ops::put_skill{naming("a", "token")});
    must(ops::put_skill{naming("c", "other")});
    must(ops::put_skill{naming("d", "")});
    const std::vector<secret_user> users{{first.id, first.name}, {second.id, second.name}};
    EXPECT_EQ(put("token").stored.used_by, users);
    EXPECT_EQ(must(ops::list_secrets{acme()}).back().used_by, users);
    const ops::delete_secret::answer refused = remove("token");
    EXPECT_EQ(refused.outcome, ops::secret_deletion::in_use);
    EXPECT_EQ(refused.used_by, users);
    must(ops::delete_skill{acme(), first.id});
    skill free = second;
    free.source.secret = {};
    must(ops::put_skill{free});
    EXPECT_EQ(remove("token").outcome, ops::secret_deletion::done);
    EXPECT_EQ(remove("token").outcome, ops::secret_deletion::not_found);
    EXPECT_THAT(listed(), ElementsAre("other"));
    EXPECT_THAT(audited(), ElementsAre("removed", "put", "put", "put"));
}

// One more than there can be is refused; another value for one of them is not, nor another organisation's.
// Proves: K1
TEST_P(Secrets, HaveALimit) {
    for (std::size_t i = 0; i < most_secrets; ++i) {
        put("s" + std::to_string(i));
    }
    ops::put_secret beyond;
    beyond.secret.organization = acme();
    beyond.secret.name = secret_name{"beyond"};
    EXPECT_EQ(error_of(beyond), errc::overloaded);
    EXPECT_FALSE(put("s7", "again").is_new);
    EXPECT_TRUE(put("beyond", "sealed", globex()).is_new);
    EXPECT_EQ(listed().size(), most_secrets);
}

// An organisation that is erased takes its secrets along, and nobody else's.
// Proves: R20
TEST_P(Secrets, GoWithTheirOrganisation) {
    must(ops::create_organization{{acme(), "Acme", {}}, std::nullopt, std::nullopt});
    put("token");
    put("token", "sealed", globex());
    must(ops::put_skill{naming("a", "token")});
    must(ops::begin_erasure{acme(), std::nullopt});
    must(ops::continue_erasure{100});
    EXPECT_THAT(listed(), IsEmpty());
    EXPECT_THAT(listed(globex()), ElementsAre("token"));
}

}  // namespace

}  // namespace convene
