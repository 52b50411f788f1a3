// SPDX-License-Identifier: Apache-2.0
// What every store promises about approvals: asked with the end of a run, decided once, told of by one turn, used up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/sessions_fixture.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using reach = ops::decide_approvals::reach;

class Approvals : public session_conformance {
   protected:
    void SetUp() override {
        register_worker(worker_one());
        register_worker(worker_two());
        open("r");
    }

    [[nodiscard]] static ops::end_run::question question(
        const std::string& id, std::chrono::milliseconds valid_for = 1h
    ) {
        ops::end_run::question made;
        made.asked.id = approval_id{id};
        made.asked.call_id = "call-" + id;
        made.asked.title = "May I?";
        made.asked.grants = {{"pay", json_text::trusted(R"({"arguments":{"amount":1}})"), 2, 0}};
        made.asked.deciders = {"bob", "role:admin"};
        made.valid_for = valid_for;
        return made;
    }

    /// A run of the session that ends with these questions. Answers its epoch.
    std::int64_t ask(
        const std::string& run,
        const std::vector<ops::end_run::question>& questions,
        session_status then = session_status::waiting_for_approval
    ) {
        const std::int64_t epoch = begin("r", run);
        ops::end_run ended = end_of("r", run, epoch);
        ended.then = then;
        for (const ops::end_run::question& one : questions) {
            ended.open_calls.push_back({one.asked.call_id, "request_approval", {}});
        }
        ended.questions = questions;
        must(ended);
        return epoch;
    }

    [[nodiscard]] static ops::decide_approvals decision(
        const std::vector<std::string>& ids,
        const std::string& turn,
        approval_state to = approval_state::approved,
        reach which = reach::some
    ) {
        ops::decide_approvals made;
        made.organization = acme();
        made.room = room_id{"r"};
        for (const std::string& id : ids) {
            audit_entry line;
            line.organization = acme();
            line.action = "approval.decided";
            line.target = id;
            made.decisions.push_back(
                {approval_id{id}, to, json_text::trusted(R"({"why":"so"})"), line}
            );
        }
        made.decided_by = "user:bob";
        made.turn = turn_of("r", turn);
        made.turn.kind = turn_kind::resume;
        made.which = which;
        return made;
    }

    [[nodiscard]] approval look(const std::string& id) {
        return must(ops::get_approval{acme(), approval_id{id}});
    }

    [[nodiscard]] std::vector<std::string> ids_of(const ops::list_approvals& request) {
        std::vector<std::string> ids;
        for (const approval& one : must(request)) {
            ids.push_back(one.id.str());
        }
        return ids;
    }

    [[nodiscard]] ops::list_approvals all() {
        ops::list_approvals request;
        request.organization = acme();
        return request;
    }

    [[nodiscard]] std::size_t audit_lines() {
        return must(ops::list_audit{acme(), {}, 100}).size();
    }
};

CONVENE_ON_EVERY_STORE(Approvals);

// They are there with the end of the run that asks, all or none, and not before; a restart keeps them.
// Proves: A6
TEST_P(Approvals, AreAskedWithTheEndOfTheRun) {
    const std::int64_t epoch = begin("r", "one");
    EXPECT_EQ(error_of(decision({"a"}, "t")), errc::not_found);
    ops::end_run ended = end_of("r", "one", epoch);
    ended.then = session_status::waiting_for_approval;
    ended.questions = {question("a"), question("b")};
    must(ended);
    must(ended);  // said again it is the same end
    const approval asked = look("a");
    EXPECT_EQ(asked.state, approval_state::pending);
    EXPECT_EQ(asked.run, run_id{"one"});
    EXPECT_EQ(asked.room, room_id{"r"});
    EXPECT_EQ(asked.created_at, clock().now());
    EXPECT_EQ(asked.expires_at, clock().now() + 1h);
    EXPECT_EQ(asked.deciders, (std::vector<std::string>{"bob", "role:admin"}));
    ASSERT_EQ(asked.grants.size(), 1u);
    EXPECT_EQ(asked.grants[0].bounds.str(), R"({"arguments":{"amount":1}})");
    EXPECT_EQ(status_of("r"), session_status::waiting_for_approval);
    harness().restart();
    EXPECT_EQ(describe(look("a")), describe(asked));

    const std::int64_t second = begin("r", "two");
    ops::end_run again = end_of("r", "two", second);
    again.questions = {question("c"), question("a")};
    EXPECT_EQ(error_of(again), errc::already_exists);
    EXPECT_EQ(run_record("two").status, run_status::running);
    EXPECT_EQ(error_of(ops::get_approval{acme(), approval_id{"c"}}), errc::not_found);
    EXPECT_EQ(error_of(end_of("r", "one", epoch)), errc::driver_fenced);
}

// One decision counts. With it the turn is there that goes on, and the line of the audit trail; who comes second changes
// nothing.
// Proves: A6
TEST_P(Approvals, AreDecidedOnce) {
    ask("one", {question("a")});
    clock().advance(1s);
    const auto decided = must(decision({"a"}, "t1", approval_state::returned));
    ASSERT_EQ(decided.decided.size(), 1u);
    ASSERT_TRUE(decided.queued);
    EXPECT_EQ(decided.queued->kind, turn_kind::resume);
    EXPECT_EQ(decided.queued->acting_for, "ann");
    const approval known = look("a");
    EXPECT_EQ(known.state, approval_state::returned);
    EXPECT_EQ(known.decided_by, "user:bob");
    EXPECT_EQ(known.decided_at, clock().now());
    EXPECT_EQ(known.response.str(), R"({"why":"so"})");
    EXPECT_EQ(status_of("r"), session_status::queued);

    clock().advance(1s);
    EXPECT_EQ(error_of(decision({"a"}, "t2")), errc::approval_already_resolved);
    EXPECT_EQ(
        error_of(decision({"a"}, "t2", approval_state::returned)), errc::approval_already_resolved
    );
    EXPECT_EQ(describe(look("a")), describe(known));
    EXPECT_THAT(due(), ElementsAre("t1"));
    EXPECT_EQ(audit_lines(), 1u);
}

// What is no decision on what this session asked changes nothing at all.
// Proves: A6
TEST_P(Approvals, AreDecidedAllOfThemOrNone) {
    ask("one", {question("a"), question("b"), question("late", 1s)});
    must(ops::create_room{make_room("other"), {}, {}});
    must(ops::open_session{acme(), room_id{"other"}, channel_id{"agent"}, "ann"});
    clock().advance(1s);
    ops::decide_approvals foreign = decision({"a"}, "t");
    foreign.room = room_id{"other"};
    EXPECT_EQ(error_of(foreign), errc::not_found);
    ops::decide_approvals stranger = decision({"a"}, "t");
    stranger.organization = organization_id{"globex"};
    EXPECT_EQ(error_of(stranger), errc::not_found);
    EXPECT_EQ(error_of(decision({"a", "none"}, "t")), errc::not_found);
    EXPECT_EQ(error_of(decision({"a", "late"}, "t")), errc::approval_expired);
    EXPECT_EQ(error_of(decision({"a", "a"}, "t")), errc::invalid_argument);
    EXPECT_EQ(error_of(decision({}, "t")), errc::invalid_argument);
    EXPECT_EQ(error_of(decision({"a"}, "t", approval_state::expired)), errc::invalid_argument);
    EXPECT_EQ(
        error_of(decision({"a"}, "t", approval_state::approved, reach::all)),
        errc::session_awaiting_approval
    );
    EXPECT_EQ(look("a").state, approval_state::pending);
    EXPECT_EQ(audit_lines(), 0u);
    EXPECT_THAT(due(), IsEmpty());
}

// The session goes on when the last one is decided, with one turn.
// Proves: A6
TEST_P(Approvals, LetTheSessionGoOnWithTheLast) {
    ask("one", {question("a"), question("b")});
    EXPECT_FALSE(must(decision({"b"}, "t1")).queued);
    EXPECT_EQ(status_of("r"), session_status::waiting_for_approval);
    EXPECT_THAT(due(), IsEmpty());
    EXPECT_TRUE(must(decision({"a"}, "t2", approval_state::rejected, reach::all)).queued);
    EXPECT_THAT(due(), ElementsAre("t2"));
    const auto begun = must(run_of("r", "two", "t2"));
    ASSERT_EQ(begun.asked.size(), 2u);
    EXPECT_EQ(begun.asked[0].state, approval_state::rejected);
    EXPECT_EQ(begun.asked[1].state, approval_state::approved);
}

// While people are asked for leave, other turns wait; the run that comes next tells of the decision, and the turn that was
// to do so is done.
// Proves: A6
TEST_P(Approvals, ComeBeforeOtherTurns) {
    ask("one", {question("a")});
    queue("r", "message");
    EXPECT_EQ(status_of("r"), session_status::waiting_for_approval);
    EXPECT_THAT(due(), IsEmpty());
    EXPECT_EQ(error_of(run_of("r", "two", "message")), errc::room_changed);
    clock().advance(1s);
    must(decision({"a"}, "resume"));
    EXPECT_THAT(due(), ElementsAre("message"));
    const auto begun = must(run_of("r", "two", "message"));
    ASSERT_EQ(begun.asked.size(), 1u);
    EXPECT_EQ(begun.asked[0].state, approval_state::approved);
    EXPECT_EQ(turn("resume").status, turn_status::done);
    // Whoever takes the run over tells of it as well.
    bury(worker_one());
    const auto taken = must(run_of("r", "two", "message", worker_two()));
    EXPECT_TRUE(taken.is_takeover);
    ASSERT_EQ(taken.asked.size(), 1u);
    must(end_of("r", "two", taken.run.epoch));
    EXPECT_THAT(due(), IsEmpty());
}

// A question that the conversation went on without is cancelled: who answers it later is too late.
// Proves: A6
TEST_P(Approvals, AreCancelledWhenTheSessionGoesOn) {
    ask("one", {question("a")}, session_status::waiting_for_input);
    queue("r", "message");
    const auto begun = must(run_of("r", "two", "message"));
    ASSERT_EQ(begun.asked.size(), 1u);
    EXPECT_EQ(begun.asked[0].state, approval_state::cancelled);
    EXPECT_EQ(error_of(decision({"a"}, "t")), errc::approval_already_resolved);
}

// A room that is closed asks nothing any more, and one that is gone leaves nothing.
// Proves: A6
TEST_P(Approvals, EndWithTheRoom) {
    ask("one", {question("a")});
    ops::update_room closing;
    closing.organization = acme();
    closing.id = room_id{"r"};
    closing.status = room_status::closed;
    must(closing);
    EXPECT_EQ(look("a").state, approval_state::cancelled);
    EXPECT_EQ(look("a").decided_at, clock().now());
    EXPECT_EQ(status_of("r"), session_status::idle);
    EXPECT_EQ(error_of(decision({"a"}, "t")), errc::approval_already_resolved);
    must(ops::delete_room{acme(), room_id{"r"}});
    EXPECT_EQ(error_of(ops::get_approval{acme(), approval_id{"a"}}), errc::not_found);
    EXPECT_THAT(ids_of(all()), IsEmpty());
}

// Time ends them, once, and the session goes on with a turn that says so.
// Proves: A6
TEST_P(Approvals, ExpireByTheStoresClock) {
    ask("one", {question("a", 1s), question("b", 2s)});
    const auto expire = [this](const std::string& turn) {
        ops::expire_approvals request{room_id{"r"}, turn_of("r", turn)};
        request.turn.kind = turn_kind::resume;
        return must(request);
    };
    EXPECT_THAT(must(ops::find_expired_approvals{}), IsEmpty());
    clock().advance(1s);
    const auto late = must(ops::find_expired_approvals{});
    ASSERT_EQ(late.size(), 1u);
    EXPECT_EQ(late[0].room, room_id{"r"});
    EXPECT_EQ(late[0].owner, "ann");
    const auto first = expire("t1");
    EXPECT_EQ(first.expired.size(), 1u);
    EXPECT_FALSE(first.queued);
    EXPECT_THAT(expire("t2").expired, IsEmpty());
    clock().advance(1s);
    EXPECT_TRUE(expire("t3").queued);
    EXPECT_EQ(look("a").state, approval_state::expired);
    EXPECT_THAT(due(), ElementsAre("t3"));
    EXPECT_THAT(must(ops::find_expired_approvals{}), IsEmpty());
    EXPECT_THAT(expire("t4").expired, IsEmpty());
    EXPECT_THAT(due(), ElementsAre("t3"));
}

// A call is begun together with the use of what allows it, and no oftener than that allows.
// Proves: A6
TEST_P(Approvals, AreUsedUp) {
    ask("one", {question("a")});
    const std::int64_t asking = session("r").session.driver_epoch;
    must(decision({"a"}, "t"));
    must(ops::create_room{make_room("other"), {}, {}});
    must(ops::open_session{acme(), room_id{"other"}, channel_id{"agent"}, "ann"});
    const std::int64_t elsewhere = begin("other", "theirs");
    const std::int64_t epoch = must(run_of("r", "two", "t")).run.epoch;
    EXPECT_EQ(epoch, asking + 1);
    const auto call = [&](const std::string& id, const std::string& tool, std::size_t grant) {
        ops::start_tool_call request = call_of("r", "two", id, epoch);
        request.intent.tool = tool;
        request.allowed_by = ops::start_tool_call::use{approval_id{"a"}, grant};
        return request;
    };
    EXPECT_EQ(error_of(call("c", "steal", 0)), errc::not_authorized);
    EXPECT_EQ(error_of(call("c", "pay", 1)), errc::not_authorized);
    ops::start_tool_call foreign = call_of("other", "theirs", "c", elsewhere);
    foreign.intent.tool = "pay";
    foreign.allowed_by = ops::start_tool_call::use{approval_id{"a"}, 0};
    EXPECT_EQ(error_of(foreign), errc::not_authorized);
    must(call("c1", "pay", 0));
    EXPECT_EQ(error_of(call("c1", "pay", 0)), errc::already_exists);
    EXPECT_EQ(look("a").grants[0].used, 1);
    must(call("c2", "pay", 0));
    EXPECT_EQ(error_of(call("c3", "pay", 0)), errc::not_authorized);
    EXPECT_EQ(look("a").grants[0].used, 2);
    EXPECT_EQ(must(ops::list_tool_calls{acme(), room_id{"r"}}).size(), 2u);
}

// What was not given, or was given for a time that is over, allows nothing.
// Proves: A6
TEST_P(Approvals, AllowNothingUnlessTheyAreGood) {
    ask("one", {question("no"), question("late")});
    must(decision({"no"}, "t", approval_state::rejected));
    must(decision({"late"}, "t"));
    const std::int64_t epoch = must(run_of("r", "two", "t")).run.epoch;
    const auto call = [&](const std::string& by) {
        ops::start_tool_call request = call_of("r", "two", "c", epoch);
        request.intent.tool = "pay";
        request.allowed_by = ops::start_tool_call::use{approval_id{by}, 0};
        return request;
    };
    EXPECT_EQ(error_of(call("no")), errc::not_authorized);
    clock().advance(1h);
    EXPECT_EQ(error_of(call("late")), errc::not_authorized);
    EXPECT_THAT(must(ops::list_tool_calls{acme(), room_id{"r"}}), IsEmpty());
}

// The last ones first, by page; whoever takes part in some rooms sees those.
// Proves: A6
TEST_P(Approvals, AreListed) {
    must(ops::put_participant{acme(), make_participant("r", "ann")});
    must(ops::create_room{make_room("other"), {}, {}});
    must(ops::open_session{acme(), room_id{"other"}, channel_id{"agent"}, "ann"});
    ask("one", {question("a"), question("b")});
    const std::int64_t epoch = begin("other", "theirs");
    ops::end_run ended = end_of("other", "theirs", epoch);
    ended.questions = {question("c")};
    must(ended);
    must(decision({"a"}, "t", approval_state::rejected));
    EXPECT_THAT(ids_of(all()), ElementsAre("c", "b", "a"));
    ops::list_approvals page = all();
    page.limit = 2;
    EXPECT_THAT(ids_of(page), ElementsAre("c", "b"));
    page.before = approval_id{"b"};
    EXPECT_THAT(ids_of(page), ElementsAre("a"));
    ops::list_approvals open = all();
    open.state = approval_state::pending;
    EXPECT_THAT(ids_of(open), ElementsAre("c", "b"));
    open.room = room_id{"r"};
    EXPECT_THAT(ids_of(open), ElementsAre("b"));
    ops::list_approvals hers = all();
    hers.member = participant_id{"ann"};
    EXPECT_THAT(ids_of(hers), ElementsAre("b", "a"));
    ops::list_approvals theirs = all();
    theirs.organization = organization_id{"globex"};
    EXPECT_THAT(ids_of(theirs), IsEmpty());
}

// -- who is told of them --------------------------------------------------------------------------

class ApprovalNotices : public Approvals {
   protected:
    void SetUp() override {
        Approvals::SetUp();
        must(ops::create_organization{{acme(), "Acme"}, {}, {}});
        must(ops::create_organization{{organization_id{"globex"}, "Globex"}, {}, {}});
        add_user("amy", user_role::admin);
        add_user("bob");
        add_user("eve");
        add_user("joe");
        add_user("lea");
        add_user("mia");
        add_user("oli", user_role::operator_);
        add_user("zoe", user_role::admin, organization_id{"globex"});
        must(ops::put_binding{acme(), make_binding("r", "web")});
        take_part("bob");
        take_part("eve", participant_role::observer);
        take_part("lea", participant_role::member, participant_status::left);
        take_part("mia");
        binding read_only = make_binding("r", "mail");
        read_only.participant = participant_id{"mia"};
        read_only.access = access::read_only;
        must(ops::put_binding{acme(), read_only});
    }

    void add_user(
        const std::string& id, user_role role = user_role::member, organization_id of = acme()
    ) {
        user added;
        added.id = user_id{id};
        added.organization = std::move(of);
        added.email = id + "@example.com";
        added.role = role;
        must(ops::create_user{added, {}});
    }

    void take_part(
        const std::string& id,
        participant_role role = participant_role::member,
        participant_status status = participant_status::active
    ) {
        participant added = make_participant("r", id);
        added.role = role;
        added.status = status;
        must(ops::put_participant{acme(), added});
    }

    [[nodiscard]] static ops::end_run::question to_all(
        const std::string& id, std::vector<std::string> deciders = {}
    ) {
        ops::end_run::question made = question(id);
        made.asked.deciders = std::move(deciders);
        return made;
    }

    [[nodiscard]] std::vector<notification> notices_of(const std::string& user) {
        std::vector<notification> told;
        for (const auto& one : must(ops::list_notifications{acme(), user})) {
            told.push_back(one.told);
        }
        return told;
    }

    /// Who was told of an approval.
    [[nodiscard]] std::vector<std::string> told_of(const std::string& id) {
        std::vector<std::string> told;
        for (const std::string user :
             {"amy", "bob", "eve", "joe", "lea", "mia", "oli", "zoe", "ann"}) {
            for (const notification& one : notices_of(user)) {
                if (one.link == "/api/v1/approvals/" + id) {
                    told.push_back(user);
                }
            }
        }
        return told;
    }

    [[nodiscard]] bool is_read(const std::string& user) {
        return notices_of(user).front().read_at.has_value();
    }
};

CONVENE_ON_EVERY_STORE(ApprovalNotices);

// Whoever may decide is told, in the transaction of the question, once; nobody else is.
// Proves: W3, A6, X1
TEST_P(ApprovalNotices, ReachAllWhoMayDecide) {
    const std::int64_t epoch = begin("r", "one");
    ops::end_run ended = end_of("r", "one", epoch);
    ended.then = session_status::waiting_for_approval;
    ended.questions = {
        to_all("a"),
        to_all("b", {"bob", "role:admin"}),
        to_all("c", {"joe", "eve"}),
        to_all("d", {"role:member"}),
        to_all("e", {"role:king", "nobody"}),
    };
    must(ended);
    must(ended);  // said again it is the same end
    harness().restart();
    EXPECT_THAT(told_of("a"), ElementsAre("amy", "bob", "oli"));
    EXPECT_THAT(told_of("b"), ElementsAre("amy", "bob"));
    EXPECT_THAT(told_of("c"), ElementsAre("eve"));
    EXPECT_THAT(told_of("d"), ElementsAre("amy", "bob", "eve", "mia", "oli"));
    EXPECT_THAT(told_of("e"), IsEmpty());
    EXPECT_THAT(must(ops::list_notifications{organization_id{"globex"}, "zoe"}), IsEmpty());

    const notification told = notices_of("oli").back();
    EXPECT_EQ(told.kind, notification_kind::approval_request);
    EXPECT_EQ(told.title, "An agent asks: May I?");
    EXPECT_EQ(told.link, "/api/v1/approvals/a");
    EXPECT_EQ(told.created_at, look("a").created_at);
    EXPECT_FALSE(told.read_at);
}

// Who may no longer log in is not told; and what is not asked, because its run's end is refused, is told nobody.
// Proves: W3
TEST_P(ApprovalNotices, AreThereWithTheQuestionOrNotAtAll) {
    ops::update_user leaves;
    leaves.organization = acme();
    leaves.id = user_id{"oli"};
    leaves.is_active = false;
    must(leaves);
    ask("one", {to_all("a")});
    EXPECT_THAT(told_of("a"), ElementsAre("amy", "bob"));

    const std::int64_t epoch = begin("r", "two");
    ops::end_run refused = end_of("r", "two", epoch);
    refused.questions = {to_all("b"), to_all("a")};
    EXPECT_EQ(error_of(refused), errc::already_exists);
    EXPECT_THAT(told_of("b"), IsEmpty());
    refused.epoch = epoch - 1;
    refused.questions = {to_all("b")};
    EXPECT_EQ(error_of(refused), errc::driver_fenced);
    EXPECT_THAT(told_of("b"), IsEmpty());
}

// Decided by one, it waits for nobody: with the decision it is read by all. Another one that is open stays unread.
// Proves: W3, A6
TEST_P(ApprovalNotices, AreReadOnceItIsDecided) {
    ask("one", {to_all("a"), to_all("b")});
    clock().advance(1s);
    const wall_time decided = clock().now();
    must(decision({"a"}, "t1"));
    EXPECT_EQ(error_of(decision({"a"}, "t2")), errc::approval_already_resolved);
    for (const std::string user : {"amy", "bob", "oli"}) {
        const std::vector<notification> told = notices_of(user);
        ASSERT_EQ(told.size(), 2u);
        EXPECT_FALSE(told[0].read_at) << user;
        EXPECT_EQ(told[1].read_at, decided) << user;
    }
    // Who read it before keeps that time.
    clock().advance(1s);
    const wall_time seen = clock().now();
    must(ops::mark_notification{acme(), "amy", notices_of("amy")[0].id});
    clock().advance(1s);
    must(decision({"b"}, "t3", approval_state::rejected));
    EXPECT_EQ(notices_of("amy")[0].read_at, seen);
    EXPECT_EQ(notices_of("bob")[0].read_at, clock().now());
}

// What expires, is passed over, or is closed with its room waits for nobody either.
// Proves: W3, A6
TEST_P(ApprovalNotices, AreReadOnceItIsOver) {
    ask("one", {to_all("a")});
    clock().advance(2h);
    must(ops::expire_approvals{room_id{"r"}, turn_of("r", "t1")});
    EXPECT_TRUE(is_read("bob"));

    ask("two", {to_all("b")});
    EXPECT_FALSE(is_read("bob"));
    begin("r", "three");
    EXPECT_TRUE(is_read("bob"));

    ask("four", {to_all("c")});
    EXPECT_FALSE(is_read("bob"));
    ops::update_room closes;
    closes.organization = acme();
    closes.id = room_id{"r"};
    closes.status = room_status::closed;
    must(closes);
    EXPECT_TRUE(is_read("bob"));
}

// What was asked in a room goes with it, also out of what people were told.
// Proves: W3
TEST_P(ApprovalNotices, GoWithTheRoom) {
    ask("one", {to_all("a")});
    must(decision({"a"}, "t1"));
    ask("two", {to_all("b")});
    must(ops::delete_room{acme(), room_id{"r"}});
    EXPECT_THAT(notices_of("bob"), IsEmpty());
    EXPECT_THAT(notices_of("amy"), IsEmpty());
}

}  // namespace

}  // namespace convene
