// SPDX-License-Identifier: Apache-2.0
// What every store promises about organisations, users, tokens, sessions, links and the audit trail.
#include "convene/task_scope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/access_fixture.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Access : public access_conformance {
   protected:
    std::vector<std::string> users_of(const organization_id& organization) {
        std::vector<std::string> ids;
        for (const user& known : must(ops::list_users{organization})) {
            ids.push_back(known.id.str());
        }
        return ids;
    }

    std::vector<std::string> actions_of(const organization_id& organization) {
        std::vector<std::string> actions;
        for (const audit_entry& entry : must(ops::list_audit{organization, {}, 100})) {
            actions.push_back(entry.action);
        }
        return actions;
    }

    /// How many of so many coroutines use the link up.
    int race_for(const std::string& link, int runners) {
        return harness().where().run_until_done(
            race(&harness().store(), use_of(link), runners, &harness().where())
        );
    }

    static awaitable<void> use_up(conversation_store* store, ops::consume_link use, int* winners) {
        const auto used = co_await store->run(std::move(use));
        *winners += used ? 1 : 0;
    }

    static awaitable<int> race(
        conversation_store* store, ops::consume_link use, int runners, executor* where
    ) {
        int winners = 0;
        task_scope scope{*where};
        for (int i = 0; i < runners; ++i) {
            scope.spawn("runner", use_up(store, use, &winners));
        }
        co_await scope.join();
        co_return winners;
    }

    static audit_entry line(const std::string& action, organization_id organization = acme()) {
        return {.organization = std::move(organization), .action = action};
    }
};

CONVENE_ON_EVERY_STORE(Access);

// An organisation is created once, with its first user or without a trace.
// Proves: X1
TEST_P(Access, OrganizationsBeginWithTheirFirstUser) {
    const user first = make_user("ann", user_role::admin, organization_id{"initech"});
    const organization made = must(
        ops::create_organization{{organization_id{"initech"}, "Initech"}, first, {}}
    );
    EXPECT_EQ(made.created_at, clock().now());
    EXPECT_EQ(must(ops::get_organization{made.id}).name, "Initech");
    EXPECT_THAT(users_of(made.id), ElementsAre("ann"));
    EXPECT_EQ(error_of(ops::create_organization{made, {}, {}}), errc::already_exists);

    // The email is taken: neither of the two is stored.
    const organization_id other{"umbrella"};
    user clash = make_user("eve", user_role::admin, other);
    clash.email = "ANN@example.com";
    EXPECT_EQ(
        error_of(ops::create_organization{{other, "Umbrella"}, clash, {}}), errc::already_exists
    );
    EXPECT_EQ(error_of(ops::get_organization{other}), errc::not_found);
    std::vector<std::string> ids;
    for (const organization& known : must(ops::list_organizations{})) {
        ids.push_back(known.id.str());
    }
    EXPECT_THAT(ids, ElementsAre("acme", "globex", "initech"));
}

// A user is read as stored, in the own organisation only.
// Proves: X1
TEST_P(Access, UsersBelongToTheirOrganization) {
    const user made = add_user("ann", user_role::operator_);
    add_user("bob", user_role::member, globex());
    EXPECT_EQ(made.created_at, clock().now());
    const user read = must(ops::get_user{acme(), user_id{"ann"}});
    EXPECT_EQ(read.email, "ann@example.com");
    EXPECT_EQ(read.display_name, "Name of ann");
    EXPECT_EQ(read.role, user_role::operator_);
    EXPECT_TRUE(read.is_active);
    EXPECT_EQ(read.password_hash, "");
    EXPECT_EQ(error_of(ops::get_user{globex(), user_id{"ann"}}), errc::not_found);
    EXPECT_THAT(users_of(acme()), ElementsAre("ann"));
    EXPECT_THAT(users_of(globex()), ElementsAre("bob"));

    ops::update_user foreign = change_of("bob");
    foreign.is_active = false;
    EXPECT_EQ(error_of(foreign), errc::not_found);
    EXPECT_TRUE(must(ops::get_user{globex(), user_id{"bob"}}).is_active);
    EXPECT_EQ(
        error_of(ops::create_user{make_user("x", user_role::member, organization_id{"no"}), {}}),
        errc::not_found
    );
}

// Two spellings of one email are one user, in whichever organisation.
// Proves: X1
TEST_P(Access, AnEmailIsOneUser) {
    user typed = make_user("ann");
    typed.email = "Ann@Example.com";
    must(ops::create_user{typed, {}});
    EXPECT_EQ(must(ops::find_user_by_email{"aNN@example.COM"})->email, "Ann@Example.com");
    EXPECT_FALSE(must(ops::find_user_by_email{"ann@example.org"}).has_value());
    user again = make_user("bob", user_role::member, globex());
    again.email = "ANN@EXAMPLE.COM";
    EXPECT_EQ(error_of(ops::create_user{again, {}}), errc::already_exists);
    again = make_user("ann", user_role::member, globex());
    again.email = "other@example.com";
    EXPECT_EQ(error_of(ops::create_user{again, {}}), errc::already_exists);
}

// Users come in pages.
// Proves: X1
TEST_P(Access, UsersComeInPages) {
    for (const char* id : {"a", "b", "c", "d"}) {
        add_user(id);
    }
    const std::vector<user> page = must(ops::list_users{acme(), user_id{"b"}, 1});
    ASSERT_EQ(page.size(), 1u);
    EXPECT_EQ(page[0].id, user_id{"c"});
    EXPECT_THAT(must(ops::list_users{acme(), user_id{"d"}, 9}), IsEmpty());
}

// Only what is set changes.
// Proves: X1
TEST_P(Access, UpdatesChangeWhatIsSet) {
    add_user("ann");
    ops::update_user change = change_of("ann");
    change.display_name = "Ann B.";
    EXPECT_EQ(must(change).display_name, "Ann B.");
    change = change_of("ann");
    change.role = user_role::operator_;
    change.password_hash = "secret";
    must(change);
    const user read = must(ops::get_user{acme(), user_id{"ann"}});
    EXPECT_EQ(read.display_name, "Ann B.");
    EXPECT_EQ(read.role, user_role::operator_);
    EXPECT_EQ(read.password_hash, "secret");
    EXPECT_TRUE(read.is_active);
}

// An organisation keeps one active admin, whatever other organisations have.
// Proves: X1
TEST_P(Access, KeepTheLastAdmin) {
    add_user("ann", user_role::admin);
    add_user("bob", user_role::admin);
    add_user("eve", user_role::admin, globex());
    ops::update_user demote = change_of("ann");
    demote.role = user_role::member;
    must(demote);
    demote = change_of("bob");
    demote.role = user_role::operator_;
    EXPECT_EQ(error_of(demote), errc::last_admin);
    ops::update_user retire = change_of("bob");
    retire.is_active = false;
    EXPECT_EQ(error_of(retire), errc::last_admin);
    const user bob = must(ops::get_user{acme(), user_id{"bob"}});
    EXPECT_EQ(bob.role, user_role::admin);
    EXPECT_TRUE(bob.is_active);

    // An admin who is not active does not count.
    ops::update_user promote = change_of("ann");
    promote.role = user_role::admin;
    promote.is_active = false;
    must(promote);
    EXPECT_EQ(error_of(retire), errc::last_admin);
    promote.is_active = true;
    must(promote);
    must(retire);
}

// A user who is no longer active loses sessions, links and tokens in the same step; others keep theirs.
// Proves: X1
TEST_P(Access, DeactivationTakesEverything) {
    add_user("ann");
    add_user("bob");
    for (const std::string id : {"ann", "bob"}) {
        log_in(id, "session-of-" + id, 1h);
        add_link(id, "link-of-" + id);
        add_token("token-of-" + id, user_role::member, id);
    }
    ops::update_user retire = change_of("ann");
    retire.is_active = false;
    must(retire);
    EXPECT_FALSE(is_logged_in("session-of-ann"));
    EXPECT_FALSE(has_link("link-of-ann"));
    EXPECT_FALSE(has_token("token-of-ann"));
    EXPECT_TRUE(is_logged_in("session-of-bob"));
    EXPECT_TRUE(has_link("link-of-bob"));
    EXPECT_TRUE(has_token("token-of-bob"));
    EXPECT_EQ(
        error_of(ops::create_auth_session{
            {.hash = secret_hash{"s"}, .organization = acme(), .user = user_id{"ann"}}, 1h, {}
        }),
        errc::not_found
    );
    EXPECT_EQ(
        error_of(ops::create_link{
            {.hash = secret_hash{"l"}, .organization = acme(), .user = user_id{"ann"}}, 1h, {}
        }),
        errc::not_found
    );
}

// Who may do less from now on has no token left that does more.
// Proves: X1
TEST_P(Access, DemotionTakesGreaterTokens) {
    add_user("ann", user_role::admin);
    add_user("bob", user_role::admin);
    add_token("of-admin", user_role::admin, "ann");
    add_token("of-operator", user_role::operator_, "ann");
    add_token("of-member", user_role::member, "ann");
    add_token("of-bob", user_role::admin, "bob");
    ops::update_user demote = change_of("ann");
    demote.role = user_role::operator_;
    must(demote);
    EXPECT_FALSE(has_token("of-admin"));
    EXPECT_TRUE(has_token("of-operator"));
    EXPECT_TRUE(has_token("of-member"));
    EXPECT_TRUE(has_token("of-bob"));
}

// A new password ends the sessions and links that were there.
// Proves: X1
TEST_P(Access, ANewPasswordEndsSessions) {
    add_user("ann");
    log_in("ann", "session", 1h);
    add_link("ann", "link");
    ops::update_user change = change_of("ann");
    change.password_hash = "secret";
    must(change);
    EXPECT_FALSE(is_logged_in("session"));
    EXPECT_FALSE(has_link("link"));
}

// A token is found by its hash until it expires or is revoked, by its own organisation only.
// Proves: X1
TEST_P(Access, TokensEnd) {
    add_token("t", user_role::operator_, "", clock().now() + 1h);
    add_token("for-ever");
    const auto found = must(ops::find_api_token{secret_hash{"hash-of-t"}});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->now, clock().now());
    EXPECT_EQ(found->token.id, api_token_id{"t"});
    EXPECT_EQ(found->token.organization, acme());
    EXPECT_EQ(found->token.role, user_role::operator_);
    EXPECT_EQ(found->token.expires_at, clock().now() + 1h);
    EXPECT_EQ(error_of(ops::create_api_token{token_of("t"), {}}), errc::already_exists);

    clock().advance(1h - 1us);
    EXPECT_TRUE(has_token("t"));
    clock().advance(1us);
    EXPECT_FALSE(has_token("t"));
    EXPECT_EQ(must(ops::list_api_tokens{acme()}).size(), 2u);
    EXPECT_THAT(must(ops::list_api_tokens{globex()}), IsEmpty());

    EXPECT_EQ(
        error_of(ops::revoke_api_token{globex(), api_token_id{"for-ever"}, {}}), errc::not_found
    );
    EXPECT_TRUE(has_token("for-ever"));
    must(ops::revoke_api_token{acme(), api_token_id{"for-ever"}, {}});
    EXPECT_FALSE(has_token("for-ever"));
    EXPECT_EQ(
        error_of(ops::revoke_api_token{acme(), api_token_id{"for-ever"}, {}}), errc::not_found
    );
}

// A token remembers when it was used.
// Proves: X1
TEST_P(Access, TokensRememberTheirUse) {
    add_token("t");
    EXPECT_EQ(must(ops::list_api_tokens{acme()}).at(0).last_used_at, std::nullopt);
    clock().advance(5s);
    must(ops::touch_api_token{secret_hash{"hash-of-t"}});
    EXPECT_EQ(must(ops::list_api_tokens{acme()}).at(0).last_used_at, clock().now());
    must(ops::touch_api_token{secret_hash{"unknown"}});
}

// A session lives as long as it was given, from its last renewal on.
// Proves: X1
TEST_P(Access, SessionsSlide) {
    add_user("ann", user_role::operator_);
    log_in("ann", "session", 1h);
    const auto found = must(ops::find_auth_session{secret_hash{"session"}});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->user.role, user_role::operator_);
    EXPECT_EQ(found->session.expires_at, clock().now() + 1h);
    EXPECT_EQ(found->now, clock().now());
    clock().advance(30min);
    EXPECT_TRUE(must(ops::renew_auth_session{secret_hash{"session"}, 1h}));
    clock().advance(1h - 1us);
    EXPECT_TRUE(is_logged_in("session"));
    clock().advance(1us);
    EXPECT_FALSE(is_logged_in("session"));
    EXPECT_FALSE(must(ops::renew_auth_session{secret_hash{"session"}, 1h}));
    EXPECT_FALSE(must(ops::delete_auth_session{secret_hash{"session"}, {}}));
    log_in("ann", "session", 1h);
    EXPECT_TRUE(is_logged_in("session"));
}

// A session is not opened on a password that was changed meanwhile.
// Proves: X1
TEST_P(Access, SessionsNeedThePasswordOfNow) {
    add_user("ann");
    ops::update_user change = change_of("ann");
    change.password_hash = "now";
    must(change);
    ops::create_auth_session opening;
    opening.session = {.hash = secret_hash{"s"}, .organization = acme(), .user = user_id{"ann"}};
    opening.lifetime = 1h;
    opening.expected_password_hash = "before";
    EXPECT_EQ(error_of(opening), errc::not_found);
    EXPECT_FALSE(is_logged_in("s"));
    opening.expected_password_hash = "now";
    must(opening);
    EXPECT_TRUE(is_logged_in("s"));
}

// Sessions end one by one, or all of a user.
// Proves: X1
TEST_P(Access, SessionsEnd) {
    add_user("ann");
    add_user("bob");
    log_in("ann", "first", 1h);
    log_in("ann", "second", 1h);
    log_in("ann", "third", 1h);
    log_in("bob", "of-bob", 1h);
    EXPECT_TRUE(must(ops::delete_auth_session{secret_hash{"first"}, {}}));
    EXPECT_FALSE(is_logged_in("first"));
    must(ops::delete_auth_sessions{globex(), user_id{"ann"}});
    EXPECT_TRUE(is_logged_in("second"));
    must(ops::delete_auth_sessions{acme(), user_id{"ann"}});
    EXPECT_FALSE(is_logged_in("second"));
    EXPECT_FALSE(is_logged_in("third"));
    EXPECT_TRUE(is_logged_in("of-bob"));
}

// A link is good once, for what it was made for, until it expires.
// Proves: X1
TEST_P(Access, LinksAreGoodOnce) {
    add_user("ann");
    add_link("ann", "link", link_kind::login);
    EXPECT_EQ(error_of(use_of("link", link_kind::invitation)), errc::not_found);
    EXPECT_EQ(error_of(use_of("other")), errc::not_found);
    const ops::consume_link::used used = must(use_of("link"));
    EXPECT_EQ(used.user.id, user_id{"ann"});
    EXPECT_EQ(used.link.kind, link_kind::login);
    EXPECT_EQ(error_of(use_of("link")), errc::not_found);

    add_link("ann", "late", link_kind::login, 1h);
    clock().advance(1h);
    EXPECT_FALSE(has_link("late"));
    EXPECT_EQ(error_of(use_of("late")), errc::not_found);
}

// Of many who use a link at the same moment one gets in.
// Proves: X1
TEST_P(Access, LinksHaveOneWinner) {
    add_user("ann");
    for (int round = 0; round < 5; ++round) {
        add_link("ann", "link");
        EXPECT_EQ(race_for("link", 16), 1);
        EXPECT_FALSE(has_link("link"));
    }
}

// A new link takes the place of the earlier one of its kind.
// Proves: X1
TEST_P(Access, LinksReplaceEarlierOnes) {
    add_user("ann");
    add_user("bob");
    add_link("ann", "first", link_kind::password_reset);
    add_link("ann", "login", link_kind::login);
    add_link("bob", "of-bob", link_kind::password_reset);
    add_link("ann", "second", link_kind::password_reset);
    EXPECT_FALSE(has_link("first"));
    EXPECT_TRUE(has_link("second"));
    EXPECT_TRUE(has_link("login"));
    EXPECT_TRUE(has_link("of-bob"));
}

// A link that brings a password sets it and ends what was logged in, in one step.
// Proves: X1
TEST_P(Access, LinksSetPasswords) {
    add_user("ann");
    log_in("ann", "session", 1h);
    add_link("ann", "login", link_kind::login);
    add_link("ann", "reset", link_kind::password_reset);
    ops::consume_link use = use_of("reset", link_kind::password_reset);
    use.password_hash = "secret";
    EXPECT_EQ(must(use).user.password_hash, "secret");
    EXPECT_EQ(must(ops::get_user{acme(), user_id{"ann"}}).password_hash, "secret");
    EXPECT_FALSE(is_logged_in("session"));
    EXPECT_FALSE(has_link("login"));
}

// The line of a change is stored with the change, and not without it.
// Proves: X1
TEST_P(Access, ChangesBringTheirAuditLine) {
    must(ops::create_user{make_user("ann", user_role::admin), line("user.created")});
    ops::update_user retire = change_of("ann");
    retire.is_active = false;
    retire.audit = line("user.updated");
    EXPECT_EQ(error_of(retire), errc::last_admin);
    EXPECT_EQ(
        error_of(ops::create_user{make_user("ann"), line("user.created")}), errc::already_exists
    );
    must(ops::create_api_token{token_of("t"), line("token.created")});
    must(ops::revoke_api_token{acme(), api_token_id{"t"}, line("token.revoked")});
    EXPECT_FALSE(must(ops::delete_auth_session{secret_hash{"no"}, line("logout")}));
    EXPECT_THAT(actions_of(acme()), ElementsAre("token.revoked", "token.created", "user.created"));
}

// The trail tells who did what, when, from where, newest first, in pages, to its organisation only.
// Proves: X1
TEST_P(Access, TheAuditTrailTellsAll) {
    audit_entry told = line("lease.released");
    told.actor = "user:ann";
    told.target = "room:1";
    told.details = json_text::trusted(R"({"reason":"stuck"})");
    told.peer = "192.0.2.1";
    const std::int64_t first = must(ops::append_audit{told});
    must(ops::append_audit{line("other", globex())});
    const std::int64_t last = must(ops::append_audit{line("second")});
    EXPECT_GT(last, first);

    const std::vector<audit_entry> page = must(ops::list_audit{acme(), last, 10});
    ASSERT_EQ(page.size(), 1u);
    EXPECT_EQ(page[0].sequence, first);
    EXPECT_EQ(page[0].actor, "user:ann");
    EXPECT_EQ(page[0].action, "lease.released");
    EXPECT_EQ(page[0].target, "room:1");
    EXPECT_EQ(page[0].details.str(), R"({"reason":"stuck"})");
    EXPECT_EQ(page[0].peer, "192.0.2.1");
    EXPECT_EQ(page[0].at, clock().now());
    EXPECT_THAT(actions_of(acme()), ElementsAre("second", "lease.released"));
    EXPECT_EQ(must(ops::list_audit{acme(), {}, 1}).size(), 1u);
}

// All of it is there after a restart.
// Proves: X1, S1
TEST_P(Access, SurvivesARestart) {
    add_user("ann", user_role::admin);
    add_token("t");
    log_in("ann", "session", 1h);
    add_link("ann", "link");
    must(ops::append_audit{line("kept")});
    harness().restart();
    EXPECT_THAT(users_of(acme()), ElementsAre("ann"));
    EXPECT_TRUE(has_token("t"));
    EXPECT_TRUE(is_logged_in("session"));
    EXPECT_TRUE(has_link("link"));
    EXPECT_THAT(actions_of(acme()), ElementsAre("kept"));
}

}  // namespace

}  // namespace convene
