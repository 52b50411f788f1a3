// SPDX-License-Identifier: Apache-2.0
// Users, tokens and the audit trail: who may do what, and what follows at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/access/access_scene.hpp"

namespace convene {

namespace {

using testing::Contains;
using testing::ElementsAre;

class AccessService : public access_scene {
   protected:
    static user_change inactive() {
        user_change change;
        change.is_active = false;
        return change;
    }

    static user_change role(user_role to) {
        user_change change;
        change.role = to;
        return change;
    }

    std::string add_token(const access_caller& by, user_role role) {
        return run(service_.create_token(by, "ci", role, std::nullopt)).value().text;
    }
};

// A fresh store has one organisation and one admin, however many workers begin.
// Proves: X1
TEST_F(AccessService, BeginsOnce) {
    EXPECT_TRUE(run(service_.bootstrap()));
    EXPECT_EQ(must(ops::list_organizations{}).size(), 1u);
    const std::vector<user> users = must(ops::list_users{organization_id{"default"}});
    ASSERT_EQ(users.size(), 1u);
    EXPECT_EQ(users[0].role, user_role::admin);
    EXPECT_EQ(admin().who.user, users[0].id);
    EXPECT_EQ(run(service_.organization_of(admin().who)).value().id, organization_id{"default"});
}

// Only admins change users and tokens and read the trail; operators see users.
// Proves: X1
TEST_F(AccessService, KeepsToRoles) {
    const access_caller by = admin();
    const access_caller operator_caller = caller_of(join(by, "op@example.com", user_role::operator_)
    );
    const access_caller member = caller_of(join(by, "ann@example.com"));
    for (const access_caller& low : {operator_caller, member}) {
        EXPECT_EQ(
            run(service_.create_user(low, "x@example.com", "X", user_role::member)).error(),
            errc::not_authorized
        );
        EXPECT_EQ(
            run(service_.update_user(low, low.who.user, role(user_role::admin))).error(),
            errc::not_authorized
        );
        EXPECT_EQ(run(service_.make_reset_link(low, by.who.user)).error(), errc::not_authorized);
        EXPECT_EQ(run(service_.list_tokens(low)).error(), errc::not_authorized);
        EXPECT_EQ(
            run(service_.create_token(low, "t", user_role::member, {})).error(),
            errc::not_authorized
        );
        EXPECT_EQ(run(service_.revoke_token(low, api_token_id{"t"})).error(), errc::not_authorized);
        EXPECT_EQ(run(service_.list_audit(low, {}, 10)).error(), errc::not_authorized);
    }
    EXPECT_EQ(run(service_.list_users(member, user_id{}, 10)).error(), errc::not_authorized);
    EXPECT_EQ(run(service_.list_users(operator_caller, user_id{}, 10)).value().size(), 3u);
}

// To the admin of another organisation, nothing of ours exists.
// Proves: X1
TEST_F(AccessService, HidesOtherOrganizations) {
    const access_caller by = admin();
    const access_caller other = stranger();
    const logged_in ann = join(by, "ann@example.com");
    const made_api_token token = run(service_.create_token(by, "ci", user_role::member, {}))
                                     .value();
    EXPECT_EQ(run(service_.update_user(other, ann.who.user, inactive())).error(), errc::not_found);
    EXPECT_EQ(run(service_.make_reset_link(other, ann.who.user)).error(), errc::not_found);
    EXPECT_EQ(run(service_.revoke_token(other, token.token.id)).error(), errc::not_found);
    EXPECT_TRUE(run(service_.list_tokens(other)).value().empty());
    EXPECT_EQ(run(service_.list_users(other, user_id{}, 10)).value().size(), 1u);
    EXPECT_TRUE(run(service_.list_audit(other, {}, 10)).value().empty());
    EXPECT_TRUE(request_of(ann));
    EXPECT_TRUE(request_with_token(token.text));
}

// A deactivated user's next request fails, and so does that of every token they made, or a token of theirs made.
// Proves: X1, R18
TEST_F(AccessService, DeactivationIsAtOnce) {
    const access_caller by = admin();
    const logged_in ann = join(by, "ann@example.com", user_role::admin);
    const std::string token = add_token(caller_of(ann), user_role::admin);
    const access_caller by_token{request_with_token(token).value().who, "192.0.2.9"};
    const std::string grandchild = add_token(by_token, user_role::member);
    ASSERT_TRUE(request_of(ann));
    ASSERT_TRUE(request_with_token(grandchild));

    EXPECT_FALSE(run(service_.update_user(by, ann.who.user, inactive())).value().is_active);
    EXPECT_EQ(request_of(ann).error(), errc::bad_credentials);
    EXPECT_EQ(request_with_token(token).error(), errc::bad_credentials);
    EXPECT_EQ(request_with_token(grandchild).error(), errc::bad_credentials);
    EXPECT_EQ(log_in("ann@example.com", good_password).error(), errc::bad_credentials);
    EXPECT_EQ(run(service_.make_reset_link(by, ann.who.user)).error(), errc::not_found);
}

// A new role counts from the next request on.
// Proves: X1, R18
TEST_F(AccessService, RolesChangeAtOnce) {
    const access_caller by = admin();
    const logged_in ann = join(by, "ann@example.com", user_role::admin);
    ASSERT_EQ(request_of(ann).value().who.role, user_role::admin);
    run(service_.update_user(by, ann.who.user, role(user_role::member))).value();
    EXPECT_EQ(request_of(ann).value().who.role, user_role::member);
}

// The last admin can be neither removed nor demoted, not even by a token.
// Proves: X1
TEST_F(AccessService, KeepsTheLastAdmin) {
    const access_caller by = admin();
    EXPECT_EQ(run(service_.update_user(by, by.who.user, inactive())).error(), errc::last_admin);
    EXPECT_EQ(
        run(service_.update_user(by, by.who.user, role(user_role::operator_))).error(),
        errc::last_admin
    );
    const std::string token = add_token(by, user_role::admin);
    const access_caller by_token{request_with_token(token).value().who, "p"};
    EXPECT_EQ(
        run(service_.update_user(by_token, by.who.user, inactive())).error(), errc::last_admin
    );
    const logged_in second = join(by, "ann@example.com", user_role::admin);
    EXPECT_TRUE(run(service_.update_user(caller_of(second), by.who.user, inactive())));
}

// A token is shown once, may do what its role says, and ends when it is revoked.
// Proves: X1
TEST_F(AccessService, TokensAreRevokedAtOnce) {
    const access_caller by = admin();
    const made_api_token made = run(service_.create_token(
                                        by,
                                        "ci",
                                        user_role::operator_,
                                        clock_.now() + std::chrono::hours{1}
                                    ))
                                    .value();
    EXPECT_TRUE(made.text.starts_with("cvt_"));
    EXPECT_EQ(request_with_token(made.text).value().who.role, user_role::operator_);
    EXPECT_EQ(run(service_.list_tokens(by)).value().at(0).name, "ci");
    EXPECT_TRUE(run(service_.revoke_token(by, made.token.id)));
    EXPECT_EQ(request_with_token(made.text).error(), errc::bad_credentials);
    EXPECT_EQ(run(service_.revoke_token(by, made.token.id)).error(), errc::not_found);
}

// Texts that break a rule are refused, and an email that is taken.
// Proves: X1, R16
TEST_F(AccessService, ChecksTexts) {
    const access_caller by = admin();
    EXPECT_EQ(
        run(service_.create_user(by, "no email", "X", user_role::member)).error(),
        errc::invalid_argument
    );
    EXPECT_EQ(
        run(service_.create_user(by, "x@example.com", "a\nb", user_role::member)).error(),
        errc::invalid_argument
    );
    EXPECT_EQ(
        run(service_.create_token(by, "", user_role::member, {})).error(), errc::invalid_argument
    );
    user_change rename;
    rename.display_name = "\x1B[31m";
    EXPECT_EQ(run(service_.update_user(by, by.who.user, rename)).error(), errc::invalid_argument);
    invite(by, "ann@example.com");
    EXPECT_EQ(
        run(service_.create_user(by, "ANN@example.com", "X", user_role::member)).error(),
        errc::already_exists
    );
}

// Every change leaves a line that says who, what and from where.
// Proves: X1
TEST_F(AccessService, LeavesATrail) {
    const access_caller by = admin();
    const logged_in ann = join(by, "ann@example.com");
    run(service_.update_user(by, ann.who.user, role(user_role::operator_))).value();
    const made_api_token token = run(service_.create_token(by, "ci", user_role::member, {}))
                                     .value();
    EXPECT_TRUE(run(service_.revoke_token(by, token.token.id)));
    EXPECT_TRUE(run(service_.log_out(caller_of(ann))));
    std::vector<std::string> actions;
    const std::vector<audit_entry> trail = run(service_.list_audit(by, {}, 100)).value();
    for (const audit_entry& entry : trail) {
        actions.push_back(entry.action);
    }
    EXPECT_THAT(
        actions,
        ElementsAre(
            "auth.logout",
            "token.revoked",
            "token.created",
            "user.updated",
            "auth.login",
            "auth.password_set",
            "link.created",
            "user.created",
            "auth.login_by_link",
            "link.created",
            "organization.created"
        )
    );
    EXPECT_EQ(trail[3].actor, "user:" + by.who.user.str());
    EXPECT_EQ(trail[3].target, ann.who.user.str());
    EXPECT_EQ(trail[3].peer, "192.0.2.1");
    EXPECT_EQ(trail[3].details.str(), R"({"role":"operator"})");
    EXPECT_EQ(trail[9].actor, "bootstrap");
}

}  // namespace

}  // namespace convene
