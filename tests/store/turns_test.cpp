// SPDX-License-Identifier: Apache-2.0
// What every store promises about turns: who may run one, how often it was tried, whose is next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/sessions_fixture.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Turns : public session_conformance {
   protected:
    void SetUp() override {
        register_worker(worker_one());
        register_worker(worker_two());
    }

    /// Claims a turn with a run of the same id; answers the epoch.
    std::int64_t claim_turn(
        const std::string& room,
        const std::string& turn,
        const incarnation_id& worker = worker_one()
    ) {
        const std::string run = turn + std::to_string(session(room).session.driver_epoch);
        return must(run_of(room, run, turn, worker)).session.driver_epoch;
    }
};

CONVENE_ON_EVERY_STORE(Turns);

// A turn waits under what it was queued with, and is counted when it is claimed.
// Proves: N1, N4
TEST_P(Turns, WaitUntilTheyAreClaimed) {
    EXPECT_EQ(error_of(ops::queue_turn{turn_of("r", "t")}), errc::not_found);
    open("r");
    const session_turn queued = queue("r", "t");
    EXPECT_EQ(queued.status, turn_status::queued);
    EXPECT_EQ(queued.not_before, clock().now());
    EXPECT_EQ(status_of("r"), session_status::queued);
    EXPECT_EQ(error_of(ops::queue_turn{turn_of("r", "t")}), errc::already_exists);
    EXPECT_EQ(
        error_of(ops::queue_turn{turn_of("r", "other", organization_id{"globex"})}), errc::not_found
    );
    harness().restart();
    register_worker(incarnation_id{"later"});
    EXPECT_THAT(due(), ElementsAre("t"));

    EXPECT_EQ(error_of(run_of("r", "x", "none")), errc::room_changed);
    const std::int64_t epoch = claim_turn("r", "t", incarnation_id{"later"});
    const session_turn claimed = turn("t");
    EXPECT_EQ(claimed.status, turn_status::running);
    EXPECT_EQ(claimed.attempts, 1);
    EXPECT_EQ(claimed.epoch, epoch);
    EXPECT_EQ(claimed.worker, incarnation_id{"later"});
    EXPECT_EQ(claimed.input.str(), R"({"say":"hello"})");
    EXPECT_THAT(due(), IsEmpty());
    // A live turn is never started twice.
    EXPECT_EQ(error_of(run_of("r", "again", "t", worker_two())), errc::room_changed);
    EXPECT_EQ(session("r").session.driver_epoch, epoch);
}

// The input is consumed by the first append that has it, and by no append of another; it stays for whoever takes the turn over.
// Proves: N3
TEST_P(Turns, KeepTheirInputUntilItIsAppended) {
    open("r");
    queue("r", "t");
    const std::int64_t epoch = claim_turn("r", "t");
    ops::commit refused = append("r", "a", epoch, {});
    refused.session.front().consumes = turn_id{"t"};
    ++refused.expected_config;
    EXPECT_EQ(error_of(refused), errc::room_changed);
    ops::commit other = append("r", "b", epoch, {});
    other.session.front().consumes = turn_id{"unknown"};
    must(other);
    EXPECT_FALSE(turn("t").is_input_consumed);
    EXPECT_EQ(turn("t").input.str(), R"({"say":"hello"})");
    ops::commit first = append("r", "c", epoch, {});
    first.session.front().consumes = turn_id{"t"};
    must(first);
    EXPECT_TRUE(turn("t").is_input_consumed);
    EXPECT_EQ(turn("t").input.str(), R"({"say":"hello"})");
}

// Only a worker that is proven dead loses its turn, whatever time has passed; who takes it over counts an attempt.
// Proves: N3, N4
TEST_P(Turns, AreTakenOverFromTheDead) {
    open("r");
    queue("r", "t");
    const std::int64_t first = claim_turn("r", "t");
    clock().advance(24h);
    EXPECT_THAT(due(), IsEmpty());
    bury(worker_one());
    EXPECT_THAT(due(), ElementsAre("t"));
    const auto taken = must(run_of("r", "second", "t", worker_two()));
    ASSERT_TRUE(taken.interrupted);
    EXPECT_EQ(taken.interrupted->turn, turn_id{"t"});
    EXPECT_EQ(turn("t").attempts, 2);
    EXPECT_EQ(turn("t").worker, worker_two());
    EXPECT_EQ(
        error_of(ops::requeue_turn{turn_id{"t"}, first, false, 0ms, ""}), errc::driver_fenced
    );
    EXPECT_EQ(error_of(append("r", "e", first, {})), errc::driver_fenced);
    EXPECT_THAT(due(), IsEmpty());
}

// A run that takes the session over without the turn leaves it to the queue.
// Proves: N3
TEST_P(Turns, GoBackWhenARequestTakesTheSession) {
    open("r");
    queue("r", "t");
    claim_turn("r", "t");
    const std::int64_t epoch = begin("r", "by-request");
    EXPECT_EQ(turn("t").status, turn_status::queued);
    EXPECT_EQ(turn("t").attempts, 1);
    EXPECT_EQ(status_of("r"), session_status::running);
    must(end_of("r", "by-request", epoch));
    EXPECT_EQ(status_of("r"), session_status::queued);
    EXPECT_THAT(due(), ElementsAre("t"));
}

// A turn ends with its run.
// Proves: N1, A6
TEST_P(Turns, EndWithTheirRun) {
    open("r");
    queue("r", "good");
    queue("r", "bad");
    EXPECT_THAT(due(), ElementsAre("good"));
    std::int64_t epoch = claim_turn("r", "good");
    must(end_of("r", session("r").session.run.str(), epoch));
    EXPECT_EQ(turn("good").status, turn_status::done);
    EXPECT_EQ(status_of("r"), session_status::queued);
    epoch = claim_turn("r", "bad");
    ops::end_run failing = end_of("r", session("r").session.run.str(), epoch);
    failing.status = run_status::failed;
    failing.error_code = "model_unavailable";
    failing.then = session_status::failed;
    must(failing);
    EXPECT_EQ(turn("bad").status, turn_status::failed);
    EXPECT_EQ(turn("bad").last_error, "model_unavailable");
    EXPECT_EQ(status_of("r"), session_status::failed);
    // What was said meanwhile waits until people have decided.
    epoch = begin("r", "asking");
    queue("r", "later");
    EXPECT_EQ(status_of("r"), session_status::running);
    ops::end_run asking = end_of("r", "asking", epoch);
    asking.then = session_status::waiting_for_approval;
    must(asking);
    EXPECT_EQ(status_of("r"), session_status::waiting_for_approval);
    EXPECT_THAT(due(), IsEmpty());
}

// Handing a turn over takes its attempt back; trying it again later keeps it. Its run goes on when it is taken again.
// Proves: N4
TEST_P(Turns, GoBackToTheQueue) {
    open("r");
    queue("r", "t");
    std::int64_t epoch = claim_turn("r", "t");
    const std::string run = session("r").session.run.str();
    const session_turn handed = must(ops::requeue_turn{turn_id{"t"}, epoch, true, 0ms, "drain"});
    EXPECT_EQ(handed.attempts, 0);
    EXPECT_EQ(handed.status, turn_status::queued);
    EXPECT_EQ(handed.last_error, "drain");
    EXPECT_EQ(run_record(run).status, run_status::running);
    EXPECT_EQ(turn("t").run.str(), run);
    EXPECT_EQ(status_of("r"), session_status::queued);
    EXPECT_EQ(
        error_of(ops::requeue_turn{turn_id{"t"}, epoch, false, 0ms, ""}), errc::driver_fenced
    );
    EXPECT_EQ(
        error_of(ops::requeue_turn{turn_id{"none"}, epoch, false, 0ms, ""}), errc::driver_fenced
    );

    epoch = claim_turn("r", "t");
    const session_turn later = must(ops::requeue_turn{turn_id{"t"}, epoch, false, 5s, "model"});
    EXPECT_EQ(later.attempts, 1);
    EXPECT_EQ(later.not_before, clock().now() + 5s);
    EXPECT_EQ(status_of("r"), session_status::scheduled);
    EXPECT_THAT(due(), IsEmpty());
    EXPECT_EQ(error_of(run_of("r", "early", "t")), errc::room_changed);
    EXPECT_EQ(must(ops::next_turn_at{}), later.not_before);
    clock().advance(5s);
    EXPECT_THAT(due(), ElementsAre("t"));
    EXPECT_EQ(must(ops::next_turn_at{}), std::nullopt);
}

// A turn that killed its workers takes its session out of the queue, until an operator lets it run again.
// Proves: N4
TEST_P(Turns, AreQuarantinedAndRetried) {
    open("r");
    queue("r", "t");
    queue("r", "behind");
    const std::int64_t epoch = claim_turn("r", "t");
    const ops::quarantine_turn quarantine{turn_id{"t"}, "crashed three times"};
    EXPECT_EQ(error_of(ops::quarantine_turn{turn_id{"none"}, ""}), errc::not_found);
    EXPECT_EQ(error_of(quarantine), errc::room_changed);
    bury(worker_one());
    EXPECT_EQ(must(quarantine).last_error, "crashed three times");
    EXPECT_EQ(turn("t").status, turn_status::quarantined);
    EXPECT_EQ(status_of("r"), session_status::quarantined);
    EXPECT_EQ(error_of(append("r", "e", epoch, {})), errc::driver_fenced);
    EXPECT_EQ(run_record(session("r").session.run.str()).status, run_status::interrupted);
    EXPECT_EQ(error_of(quarantine), errc::room_changed);
    EXPECT_THAT(due(), IsEmpty());
    EXPECT_EQ(error_of(run_of("r", "x", "behind", worker_two())), errc::room_changed);
    queue("r", "more");
    EXPECT_EQ(status_of("r"), session_status::quarantined);

    const ops::retry_turn foreign{organization_id{"globex"}, turn_id{"t"}};
    EXPECT_EQ(error_of(foreign), errc::not_found);
    EXPECT_EQ(error_of(ops::retry_turn{acme(), turn_id{"behind"}}), errc::room_changed);
    clock().advance(1s);
    const session_turn retried = must(ops::retry_turn{acme(), turn_id{"t"}});
    EXPECT_EQ(retried.attempts, 0);
    EXPECT_EQ(retried.last_error, "");
    EXPECT_EQ(retried.not_before, clock().now());
    EXPECT_EQ(status_of("r"), session_status::queued);
    EXPECT_THAT(due(), ElementsAre("behind"));
}

// No organisation waits for another's backlog, and of a session only the first turn is answered.
// Proves: N5
TEST_P(Turns, ComeInTurnFromEachOrganisation) {
    const auto add = [&](const std::string& id, const std::string& of) {
        const organization_id owner{of};
        open(id, "ann", owner);
        for (const char* const n : {"1", "2"}) {
            must(ops::queue_turn{turn_of(id, id + n, owner)});
        }
        clock().advance(1ms);
    };
    for (const char* const id : {"a", "b", "c", "d"}) {
        add(id, "zeta");
    }
    add("e", "beta");
    add("f", "alpha");
    add("g", "alpha");
    EXPECT_THAT(due(), ElementsAre("a1", "e1", "f1", "b1", "g1", "c1", "d1"));
    EXPECT_THAT(due(4), ElementsAre("a1", "e1", "f1", "b1"));
    EXPECT_THAT(due(2), ElementsAre("a1", "e1"));
    EXPECT_THAT(due(0), IsEmpty());
    // One that a dead worker left has its place among those that wait.
    ops::begin_run claimed = run_of("b", "run", "b1");
    claimed.run.organization = organization_id{"zeta"};
    must(claimed);
    EXPECT_THAT(due(), ElementsAre("a1", "e1", "f1", "c1", "g1", "d1"));
    bury(worker_one());
    EXPECT_THAT(due(), ElementsAre("a1", "e1", "f1", "b1", "g1", "c1", "d1"));
}

// What is promised for later keeps nobody waiting: neither a turn that came after it nor who is asked something.
// Proves: N1, N5
TEST_P(Turns, AreScheduled) {
    open("r");
    session_turn wake = turn_of("r", "wake");
    wake.kind = turn_kind::wake;
    wake.not_before = clock().now() + 1h;
    must(ops::queue_turn{wake});
    EXPECT_EQ(status_of("r"), session_status::scheduled);
    EXPECT_EQ(must(ops::next_turn_at{}), wake.not_before);
    EXPECT_THAT(due(), IsEmpty());
    queue("r", "now");
    EXPECT_EQ(status_of("r"), session_status::queued);
    EXPECT_THAT(due(), ElementsAre("now"));
    const std::int64_t epoch = claim_turn("r", "now");
    ops::end_run asking = end_of("r", session("r").session.run.str(), epoch);
    asking.then = session_status::waiting_for_input;
    must(asking);
    EXPECT_EQ(status_of("r"), session_status::waiting_for_input);
    clock().advance(1h);
    EXPECT_THAT(due(), ElementsAre("wake"));
}

// The clock that counts is the store's.
// Proves: N1
TEST_P(Turns, WaitForAsLongAsIsSaid) {
    open("r");
    session_turn wake = turn_of("r", "wake");
    wake.kind = turn_kind::wake;
    EXPECT_EQ(must(ops::queue_turn{wake, 5s}).not_before, clock().now() + 5s);
    wake.id = turn_id{"later"};
    wake.not_before = clock().now() + 1h;
    EXPECT_EQ(must(ops::queue_turn{wake, 5s}).not_before, clock().now() + 1h);
}

// What a driver queues it queues only while it has the session.
// Proves: N1, A4
TEST_P(Turns, AreQueuedByTheDriverThatHasTheSession) {
    open("r");
    queue("r", "t");
    const std::int64_t first = claim_turn("r", "t");
    must(ops::queue_turn{turn_of("r", "wake"), 1s, first});
    must(end_of("r", session("r").session.run.str(), first));
    queue("r", "other");
    claim_turn("r", "other");
    EXPECT_EQ(error_of(ops::queue_turn{turn_of("r", "late"), 1s, first}), errc::driver_fenced);
    // Also one that it has queued before: it is told that it drives no more.
    EXPECT_EQ(error_of(ops::queue_turn{turn_of("r", "wake"), 1s, first}), errc::driver_fenced);
}

// A wake is taken back for as long as nobody has begun it, and nothing else is.
// Proves: N1
TEST_P(Turns, AreTakenBackBeforeTheyBegin) {
    open("r");
    open("s");
    const auto wake_of = [this](const std::string& id) {
        session_turn wake = turn_of("r", id);
        wake.kind = turn_kind::wake;
        return must(ops::queue_turn{wake, 1h});
    };
    const session_turn wake = wake_of("wake");
    queue("r", "message");
    const auto taken_back = [](const std::string& room, const std::string& id) {
        return ops::cancel_wake{acme(), room_id{room}, turn_id{id}};
    };
    EXPECT_EQ(error_of(taken_back("r", "none")), errc::not_found);
    EXPECT_EQ(error_of(taken_back("s", "wake")), errc::not_found);
    EXPECT_EQ(error_of(taken_back("r", "message")), errc::not_found);
    EXPECT_EQ(
        error_of(ops::cancel_wake{organization_id{"globex"}, room_id{"r"}, wake.id}),
        errc::not_found
    );
    EXPECT_EQ(must(taken_back("r", "wake")), wake);
    EXPECT_EQ(error_of(ops::get_turn{acme(), wake.id}), errc::not_found);
    EXPECT_EQ(status_of("r"), session_status::queued);
    const std::int64_t epoch = claim_turn("r", "message");
    wake_of("again");
    must(taken_back("r", "again"));
    EXPECT_EQ(status_of("r"), session_status::running);
    must(end_of("r", session("r").session.run.str(), epoch));
    wake_of("third");
    EXPECT_EQ(status_of("r"), session_status::scheduled);
    must(taken_back("r", "third"));
    EXPECT_EQ(status_of("r"), session_status::idle);
    wake_of("begun");
    clock().advance(1h);
    claim_turn("r", "begun");
    EXPECT_EQ(error_of(taken_back("r", "begun")), errc::room_changed);
}

// So many turns of one session may wait, and no more; another session is not held up by it.
// Proves: N1
TEST_P(Turns, WaitInABoundedQueue) {
    open("r");
    open("s");
    for (int i = 0; i < 100; ++i) {
        queue("r", "t" + std::to_string(i));
    }
    EXPECT_EQ(error_of(ops::queue_turn{turn_of("r", "more")}), errc::overloaded);
    queue("s", "other");
    claim_turn("r", "t0");
    queue("r", "more");
}

// What is promised for later leaves room for what people say.
// Proves: N1
TEST_P(Turns, OfTheKindWakeFillOnlyAPartOfIt) {
    open("r");
    session_turn wake = turn_of("r", "w");
    wake.kind = turn_kind::wake;
    for (int i = 0; i < 20; ++i) {
        wake.id = turn_id{"w" + std::to_string(i)};
        must(ops::queue_turn{wake, i % 2 == 0 ? 1h : 0ms});
    }
    wake.id = turn_id{"more"};
    EXPECT_EQ(error_of(ops::queue_turn{wake, 1h}), errc::overloaded);
    queue("r", "message");
    must(ops::cancel_wake{acme(), room_id{"r"}, turn_id{"w0"}});
    must(ops::queue_turn{wake, 1h});
}

// Turns are listed newest first: of a session, of an organisation, by what they are.
// Proves: N4
TEST_P(Turns, AreListed) {
    open("r");
    open("s");
    open("foreign", "ann", organization_id{"globex"});
    queue("r", "a");
    queue("s", "b");
    queue("r", "c");
    must(ops::queue_turn{turn_of("foreign", "d", organization_id{"globex"})});
    claim_turn("r", "a");
    const auto listed = [&](std::optional<room_id> room, std::optional<turn_status> status) {
        std::vector<std::string> ids;
        for (const session_turn& one : must(ops::list_turns{acme(), std::move(room), status, 2})) {
            ids.push_back(one.id.str());
        }
        return ids;
    };
    EXPECT_THAT(listed({}, {}), ElementsAre("c", "b"));
    EXPECT_THAT(listed(room_id{"r"}, {}), ElementsAre("c", "a"));
    EXPECT_THAT(listed({}, turn_status::running), ElementsAre("a"));
    EXPECT_THAT(listed(room_id{"r"}, turn_status::queued), ElementsAre("c"));
    EXPECT_THAT(listed(room_id{"foreign"}, {}), IsEmpty());
}

// One is looked at by its id, in its organisation; all of the deployment are counted.
// Proves: N4
TEST_P(Turns, AreLookedAtAndCounted) {
    open("r");
    open("s");
    open("foreign", "ann", organization_id{"globex"});
    queue("r", "a");
    queue("s", "b");
    must(ops::queue_turn{turn_of("foreign", "c", organization_id{"globex"})});
    claim_turn("r", "a");
    EXPECT_EQ(must(ops::get_turn{acme(), turn_id{"a"}}), turn("a"));
    EXPECT_EQ(error_of(ops::get_turn{acme(), turn_id{"c"}}), errc::not_found);
    EXPECT_EQ(error_of(ops::get_turn{acme(), turn_id{"none"}}), errc::not_found);
    must(ops::quarantine_turn{turn_id{"b"}, "crashed"});
    const auto counts = must(ops::count_turns{});
    EXPECT_EQ(counts.queued, 1);
    EXPECT_EQ(counts.running, 1);
    EXPECT_EQ(counts.quarantined, 1);
}

// Who lets a turn be run again is on record, with the change or not at all.
// Proves: N4
TEST_P(Turns, AreRetriedOnRecord) {
    open("r");
    queue("r", "t");
    ops::retry_turn again{acme(), turn_id{"t"}};
    again.audit.emplace();
    again.audit->organization = acme();
    again.audit->action = "turn.retried";
    again.audit->target = "t";
    EXPECT_EQ(error_of(again), errc::room_changed);
    EXPECT_THAT(must(ops::list_audit{acme(), {}, 100}), IsEmpty());
    must(ops::quarantine_turn{turn_id{"t"}, "crashed"});
    must(again);
    EXPECT_EQ(must(ops::list_audit{acme(), {}, 100}).size(), 1u);
}

// What a newer release queued, or ran and left, is left to newer workers, with what follows it in its session; others go
// on. Who takes it raises its format, and that of its run.
// Proves: N2, N3
TEST_P(Turns, OfNewerFormatsAreLeftAlone) {
    open("r");
    open("s");
    session_turn newer = turn_of("r", "newer");
    newer.format = 2;
    must(ops::queue_turn{newer});
    queue("r", "behind it");
    queue("s", "other");
    EXPECT_THAT(due(), ElementsAre("other"));
    EXPECT_EQ(error_of(run_of("r", "run", "newer")), errc::unavailable);
    EXPECT_EQ(session("r").session.driver_epoch, 0);

    ops::begin_run by_newer = run_of("s", "run", "other", worker_two());
    by_newer.run.format = 2;
    EXPECT_EQ(must(by_newer).run.format, 2);
    EXPECT_EQ(turn("other").format, 2);
    must(ops::set_worker_state{worker_two(), ops::worker_state::dead});
    EXPECT_THAT(due(), IsEmpty());
    // Neither gone on with, nor ended for another run.
    EXPECT_EQ(error_of(run_of("s", "run", "other")), errc::unavailable);
    EXPECT_EQ(error_of(run_of("s", "another")), errc::unavailable);
    std::vector<std::string> for_newer;
    for (const session_turn& one : must(ops::list_due_turns{64, 2})) {
        for_newer.push_back(one.id.str());
    }
    EXPECT_THAT(for_newer, testing::UnorderedElementsAre("newer", "other"));
    by_newer.run.worker = worker_one();
    EXPECT_TRUE(must(by_newer).is_takeover);
}

}  // namespace

}  // namespace convene
