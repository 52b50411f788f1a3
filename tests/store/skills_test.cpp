// SPDX-License-Identifier: Apache-2.0
// What every store promises about skills, their pulls and pins.
#include "store/operations/skills.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/conformance.hpp"
#include "store/operations/retention.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Skills : public conformance {
   protected:
    static skill make_skill(const std::string& id, const std::string& organization = "acme") {
        skill made;
        made.id = skill_id{id};
        made.organization = organization_id{organization};
        made.name = "Name of " + id;
        made.source = {"https://example.com/" + id, "main", "skills/a", "user", "sealed"};
        return made;
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

    std::vector<std::string> listed(
        std::optional<organization_id> of, std::optional<skill_state> state = std::nullopt
    ) {
        std::vector<std::string> ids;
        for (const skill& one : must(ops::list_skills{std::move(of), state})) {
            ids.push_back(one.id.str());
        }
        return ids;
    }

    skill get_skill(const std::string& id) { return must(ops::get_skill{acme(), skill_id{id}}); }

    skill begin(const std::string& id) { return must(ops::begin_skill_pull{acme(), skill_id{id}}); }

    static ops::end_skill_pull end_of(const skill& begun, const std::string& revision) {
        ops::end_skill_pull end;
        end.organization = begun.organization;
        end.id = begun.id;
        end.epoch = begun.pull_epoch;
        end.wanted = begun.pulls_wanted;
        end.revision = revision_id{revision};
        return end;
    }

    skill_pin pin(const std::string& holder, const std::string& id, const std::string& revision) {
        return must(
            ops::pin_skill{{acme(), "execution", holder, skill_id{id}, revision_id{revision}}}
        );
    }
};

CONVENE_ON_EVERY_STORE(Skills);

// Every field comes back; a new skill wants its first pull, and the line of the audit trail goes with it.
// Proves: K1
TEST_P(Skills, KeepEveryField) {
    skill wanted = make_skill("a");
    wanted.revision = revision_id{"made up"};
    const skill made = must(ops::put_skill{wanted, line("made")});
    EXPECT_EQ(made.version, 1);
    EXPECT_EQ(made.name, wanted.name);
    EXPECT_EQ(made.source, wanted.source);
    EXPECT_EQ(made.state, skill_state::cloning);
    EXPECT_TRUE(made.revision.empty());
    EXPECT_EQ(made.pulls_wanted, 1);
    EXPECT_EQ(made.created_at, clock().now());
    EXPECT_EQ(made.updated_at, clock().now());
    EXPECT_EQ(get_skill("a"), made);
    EXPECT_EQ(error_of(ops::put_skill{wanted, line("again")}), errc::already_exists);
    EXPECT_THAT(audited(), ElementsAre("made"));
}

// Two who read the same version do not undo each other. Another name needs no pull, another source does, and what
// was pulled before stays good.
// Proves: K1, S1
TEST_P(Skills, ChangeOnlyAsTheyWereRead) {
    must(ops::put_skill{make_skill("a")});
    must(end_of(begin("a"), "c1"));
    skill first = get_skill("a");
    clock().advance(1s);
    first.name = "New";
    const skill renamed = must(ops::put_skill{first, line("renamed")});
    EXPECT_EQ(renamed.version, 2);
    EXPECT_EQ(renamed.state, skill_state::ready);
    EXPECT_EQ(renamed.updated_at, clock().now());
    EXPECT_EQ(error_of(ops::put_skill{first, line("late")}), errc::room_changed);
    skill moved = renamed;
    moved.source.reference = "next";
    const skill wanting = must(ops::put_skill{moved});
    EXPECT_EQ(wanting.state, skill_state::cloning);
    EXPECT_EQ(wanting.pulls_wanted, 2);
    EXPECT_EQ(wanting.revision, revision_id{"c1"});
    EXPECT_THAT(audited(), ElementsAre("renamed"));
}

// Nobody changes, pulls, pins, removes or lists what is another organisation's.
// Proves: X1
TEST_P(Skills, BelongToOneOrganisation) {
    const skill mine = must(ops::put_skill{make_skill("b")});
    must(ops::put_skill{make_skill("a", "globex")});
    const organization_id globex{"globex"};
    skill theirs = mine;
    theirs.organization = globex;
    EXPECT_EQ(error_of(ops::put_skill{theirs}), errc::not_found);
    EXPECT_EQ(error_of(ops::get_skill{globex, mine.id}), errc::not_found);
    EXPECT_EQ(error_of(ops::want_skill_pull{globex, mine.id, line("no")}), errc::not_found);
    EXPECT_EQ(error_of(ops::begin_skill_pull{globex, mine.id}), errc::not_found);
    EXPECT_EQ(
        error_of(ops::pin_skill{{globex, "execution", "e", mine.id, revision_id{"c"}}}),
        errc::not_found
    );
    EXPECT_EQ(must(ops::delete_skill{globex, mine.id, line("no")}), ops::skill_deletion::not_found);
    EXPECT_THAT(listed(acme()), ElementsAre("b"));
    EXPECT_THAT(listed(std::nullopt), ElementsAre("a", "b"));
    EXPECT_THAT(audited(), IsEmpty());
}

// A pull that ends well makes its commit the current one; one that fails leaves the one before.
// Proves: K1
TEST_P(Skills, FailedPullsKeepTheRevision) {
    must(ops::put_skill{make_skill("a")});
    EXPECT_THAT(listed(std::nullopt, skill_state::cloning), ElementsAre("a"));
    clock().advance(1s);
    const skill ready = must(end_of(begin("a"), "c1"));
    EXPECT_EQ(ready.state, skill_state::ready);
    EXPECT_EQ(ready.revision, revision_id{"c1"});
    EXPECT_EQ(ready.pulled_at, clock().now());
    EXPECT_EQ(ready.version, 1);
    EXPECT_THAT(listed(acme(), skill_state::cloning), IsEmpty());

    must(ops::want_skill_pull{acme(), skill_id{"a"}, line("pulled")});
    ops::end_skill_pull broken = end_of(begin("a"), "");
    broken.error = "clone_timed_out";
    broken.error_detail = "wait";
    const skill failed = must(broken);
    EXPECT_EQ(failed.state, skill_state::failed);
    EXPECT_EQ(failed.error, "clone_timed_out");
    EXPECT_EQ(failed.error_detail, "wait");
    EXPECT_EQ(failed.revision, revision_id{"c1"});
    EXPECT_EQ(failed.pulled_at, ready.pulled_at);

    must(ops::want_skill_pull{acme(), skill_id{"a"}});
    const skill again = must(end_of(begin("a"), "c2"));
    EXPECT_EQ(again.error, "");
    EXPECT_EQ(again.revision, revision_id{"c2"});
    EXPECT_THAT(audited(), ElementsAre("pulled"));
}

// What one worker has taken over, the one before can't end any more; what nobody wants, nobody begins.
// Proves: K1, L6
TEST_P(Skills, WhoeverBeganLastEndsAPull) {
    must(ops::put_skill{make_skill("a")});
    const skill first = begin("a");
    const skill second = begin("a");
    EXPECT_GT(second.pull_epoch, first.pull_epoch);
    EXPECT_EQ(error_of(end_of(first, "old")), errc::lease_lost);
    EXPECT_EQ(must(end_of(second, "new")).revision, revision_id{"new"});
    const skill idle = begin("a");
    EXPECT_EQ(idle.state, skill_state::ready);
    EXPECT_EQ(idle.pull_epoch, second.pull_epoch);
}

// A pull that is asked for while one runs is not answered by the one that runs: it may have come too early.
// Proves: K1
TEST_P(Skills, WishesDuringAPullAreKept) {
    must(ops::put_skill{make_skill("a")});
    const skill running = begin("a");
    must(ops::want_skill_pull{acme(), skill_id{"a"}});
    const skill ended = must(end_of(running, "c1"));
    EXPECT_EQ(ended.state, skill_state::cloning);
    EXPECT_EQ(ended.revision, revision_id{"c1"});
    EXPECT_EQ(must(end_of(begin("a"), "c2")).state, skill_state::ready);
}

// A holder has one pin; while anything is pinned, the skill stays.
// Proves: K1
TEST_P(Skills, PinnedOnesStay) {
    must(ops::put_skill{make_skill("a")});
    must(ops::put_skill{make_skill("b")});
    pin("e2", "a", "c1");
    const skill_pin second = pin("e1", "a", "c1");
    const skill_pin moved = pin("e2", "a", "c2");
    pin("e3", "b", "c3");
    EXPECT_THAT(must(ops::list_skill_pins{acme(), skill_id{"a"}}), ElementsAre(second, moved));
    using enum ops::skill_deletion;
    EXPECT_EQ(must(ops::delete_skill{acme(), skill_id{"a"}, line("no")}), pinned);
    for (const char* holder : {"e1", "e2"}) {
        EXPECT_TRUE(must(ops::unpin_skill{acme(), "execution", holder}));
        EXPECT_FALSE(must(ops::unpin_skill{acme(), "execution", holder}));
    }
    EXPECT_EQ(must(ops::delete_skill{acme(), skill_id{"a"}, line("gone")}), done);
    EXPECT_EQ(must(ops::delete_skill{acme(), skill_id{"a"}, line("gone")}), not_found);
    EXPECT_EQ(error_of(ops::get_skill{acme(), skill_id{"a"}}), errc::not_found);
    EXPECT_THAT(audited(), ElementsAre("gone"));
}

// An organisation that is erased takes its skills and pins along, and nobody else's.
// Proves: R20
TEST_P(Skills, GoWithTheirOrganisation) {
    must(ops::create_organization{{acme(), "Acme", {}}, std::nullopt, std::nullopt});
    must(ops::put_skill{make_skill("a")});
    must(ops::put_skill{make_skill("b", "globex")});
    pin("e", "a", "c1");
    must(ops::begin_erasure{acme(), std::nullopt});
    must(ops::continue_erasure{100});
    EXPECT_THAT(listed(std::nullopt), ElementsAre("b"));
    EXPECT_THAT(must(ops::list_skill_pins{acme(), skill_id{"a"}}), IsEmpty());
}

// All workers go by the value that was proposed first.
// Proves: K2
TEST_P(Skills, MarkersAreAgreedOnOnce) {
    EXPECT_EQ(must(ops::agree_on_marker{"skills", ""}), "");
    EXPECT_EQ(must(ops::agree_on_marker{"skills", "one"}), "one");
    EXPECT_EQ(must(ops::agree_on_marker{"skills", "two"}), "one");
    EXPECT_EQ(must(ops::agree_on_marker{"skills", ""}), "one");
    EXPECT_EQ(must(ops::agree_on_marker{"other", "two"}), "two");
}

}  // namespace

}  // namespace convene
