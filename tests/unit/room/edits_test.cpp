// SPDX-License-Identifier: Apache-2.0
// Edits and deletions: who may, and what they change.
#include "room/edits.hpp"

#include <gtest/gtest.h>

#include "scene.hpp"

namespace convene {
namespace {

/// The code of a refusal; nothing if the change is permitted.
std::optional<errc> decide(const scene& room, const room_event& change) {
    const auto verdict = authorize_change(room.facts(), change);
    if (const auto* refused = std::get_if<refusal>(&verdict)) {
        return refused->code;
    }
    return std::nullopt;
}

constexpr std::optional<errc> permitted = std::nullopt;

/// A room in which Bob and the helper have said something; Ann is the owner.
class change_test : public testing::Test {
   protected:
    change_test() { room.referenced = {said_by_bob("bobs"), said("helpers", "helper")}; }

    scene room;
};

using Changes = change_test;

/// Content as another version may have stored it.
content from_another_version(std::string_view json) { return *content::from_store(json); }

content edit_claiming(const std::string& word, const std::string& target) {
    return from_another_version(
        R"({"type":"edit","target_event_id":")" + target + R"(","edit_source":")" + word +
        R"(","new_content":{"type":"text","body":"x"}})"
    );
}

// -- rights
// ----------------------------------------------------------------------------------------------

// The author, an owner and the system may edit; a stranger may not.
// Proves: R13
TEST_F(Changes, AreEditedByAuthorOwnerAndSystem) {
    EXPECT_EQ(decide(room, as_edit(said_by_bob("edit"), "bobs")), permitted);
    EXPECT_EQ(decide(room, as_edit(said_by_ann("edit"), "bobs")), permitted);
    EXPECT_EQ(decide(room, as_edit(said_by_the_system("edit"), "bobs")), permitted);
    EXPECT_EQ(decide(room, as_edit(said("edit", "sms", "eve"), "bobs")), errc::not_authorized);
    EXPECT_EQ(decide(room, as_edit(said_by_bob("edit"), "helpers")), errc::not_authorized);
}

// The right of the system is the system's alone: who claims it has to be it.
// Proves: R13
TEST_F(Changes, GrantTheSystemsRightToTheSystemOnly) {
    const auto edit = [this](room_event by) {
        return decide(room, as_edit(std::move(by), "bobs", edit_origin::system));
    };
    EXPECT_EQ(edit(said_by_the_system("edit")), permitted);
    EXPECT_EQ(edit(said_by_ann("edit")), errc::not_authorized);
    EXPECT_EQ(edit(said_by_bob("edit")), errc::not_authorized);

    const auto remove = [this](room_event by) {
        return decide(room, as_deletion(std::move(by), "bobs", delete_kind::system));
    };
    EXPECT_EQ(remove(said_by_the_system("deletion")), permitted);
    EXPECT_EQ(remove(said_by_ann("deletion")), errc::not_authorized);
    EXPECT_EQ(remove(said_by_bob("deletion")), errc::not_authorized);
}

// Somebody known who acts without a channel is not the system.
// Proves: R13
TEST_F(Changes, DoNotTakeAPersonWithoutAChannelForTheSystem) {
    EXPECT_EQ(decide(room, as_edit(said("edit", "", "eve"), "bobs")), errc::not_authorized);
    EXPECT_EQ(decide(room, as_edit(said("edit", "", "bob"), "bobs")), permitted);
}

// A sender takes back what is theirs; an owner has to say that they act as one.
// Proves: R13
TEST_F(Changes, AreDeletedByTheSender) {
    const auto remove = [this](room_event by) {
        return decide(room, as_deletion(std::move(by), "bobs", delete_kind::sender));
    };
    EXPECT_EQ(remove(said_by_bob("deletion")), permitted);
    EXPECT_EQ(remove(said_by_the_system("deletion")), permitted);
    EXPECT_EQ(remove(said_by_ann("deletion")), errc::not_authorized);
}

// Deleting as an administrator needs the role, now: an author without it may not, nor an owner who
// left.
// Proves: R13
TEST_F(Changes, AreDeletedByAnActiveOwner) {
    const auto remove = [this](room_event by) {
        return decide(room, as_deletion(std::move(by), "bobs", delete_kind::admin));
    };
    EXPECT_EQ(remove(said_by_ann("deletion")), permitted);
    EXPECT_EQ(remove(said_by_the_system("deletion")), permitted);
    EXPECT_EQ(remove(said_by_bob("deletion")), errc::not_authorized);

    for (const auto status :
         {participant_status::inactive, participant_status::left, participant_status::banned}) {
        room.context.participants[0].status = status;
        EXPECT_EQ(remove(said_by_ann("deletion")), errc::not_authorized);
    }
}

// A word that we don't know gives no right beyond the author's own.
// Proves: R13
TEST_F(Changes, GiveNoRightToUnknownWords) {
    const content edit = edit_claiming("admin", "bobs");
    const content deletion = from_another_version(
        R"({"type":"delete","target_event_id":"bobs","delete_type":"root"})"
    );
    const auto with = [this](room_event by, event_type type, const content& what) {
        by.type = type;
        by.content = what;
        return decide(room, by);
    };
    EXPECT_EQ(with(said_by_bob("c"), event_type::edit, edit), permitted);
    EXPECT_EQ(with(said_by_ann("c"), event_type::edit, edit), errc::not_authorized);
    EXPECT_EQ(with(said_by_the_system("c"), event_type::edit, edit), errc::not_authorized);
    EXPECT_EQ(with(said_by_bob("c"), event_type::remove, deletion), permitted);
    EXPECT_EQ(with(said_by_ann("c"), event_type::remove, deletion), errc::not_authorized);
    EXPECT_EQ(with(said_by_the_system("c"), event_type::remove, deletion), errc::not_authorized);
}

// -- authors
// ---------------------------------------------------------------------------------------------

// An agent may change what it said; another agent may not.
// Proves: R13
TEST_F(Changes, KnowAnAgentByItsChannel) {
    EXPECT_EQ(decide(room, as_edit(said("edit", "helper"), "helpers")), permitted);
    EXPECT_EQ(decide(room, as_edit(said("edit", "critic"), "helpers")), errc::not_authorized);
}

// Where an agent's channel speaks for several, who speaks for one of them is not the others.
// Proves: R13
TEST_F(Changes, TellTheVoicesOfAnAgentApart) {
    room_event first = said("first", "helper");
    first.source.external_id = "voice-1";
    room.referenced.push_back(first);
    EXPECT_EQ(decide(room, as_edit(said("edit", "helper"), "first")), errc::not_authorized);
}

// A participant is the author on whichever channel.
// Proves: R13
TEST_F(Changes, KnowAParticipantOnAnotherChannel) {
    EXPECT_EQ(decide(room, as_edit(said("edit", "sms", "bob"), "bobs")), permitted);
}

// A sender who was not identified yet is known by channel and address; both have to match.
// Proves: R13
TEST_F(Changes, KnowASenderByAddress) {
    room_event first = said("first", "sms");
    first.source.external_id = "+49301";
    room.referenced.push_back(first);

    room_event same = said("edit", "sms", "carl");
    same.source.external_id = "+49301";
    EXPECT_EQ(decide(room, as_edit(same, "first")), permitted);

    room_event other = said("edit", "sms", "carl");
    other.source.external_id = "+49302";
    EXPECT_EQ(decide(room, as_edit(other, "first")), errc::not_authorized);

    const room_event unnamed = said("edit", "sms");
    EXPECT_EQ(decide(room, as_edit(unnamed, "first")), errc::not_authorized);

    room_event elsewhere = said("edit", "web", "carl");
    elsewhere.source.external_id = "+49301";
    EXPECT_EQ(decide(room, as_edit(elsewhere, "first")), errc::not_authorized);
}

// Two people who share an address are told apart once they are identified.
// Proves: R13
TEST_F(Changes, BelieveTheParticipantOverTheAddress) {
    room_event first = said("first", "sms", "carl");
    first.source.external_id = "+49301";
    room.referenced.push_back(first);
    room_event other = said("edit", "sms", "dora");
    other.source.external_id = "+49301";
    EXPECT_EQ(decide(room, as_edit(other, "first")), errc::not_authorized);
}

// Nobody knows who said what on a channel of many people without names: then nobody is the author.
// Proves: R13
TEST_F(Changes, TrustNoAnonymousSender) {
    room.referenced.push_back(said("first", "web"));
    EXPECT_EQ(decide(room, as_edit(said("edit", "web"), "first")), errc::not_authorized);
    EXPECT_EQ(decide(room, as_edit(said("edit", "fax"), "first")), errc::not_authorized);
    room.referenced.push_back(said("faxed", "fax"));
    EXPECT_EQ(decide(room, as_edit(said("edit", "fax"), "faxed")), errc::not_authorized);
}

// The system is the author of its notices, also where only the author may.
// Proves: R13
TEST_F(Changes, KnowTheSystemAsAnAuthor) {
    room.referenced.push_back(said_by_the_system("notice"));
    room_event change = said_by_the_system("edit");
    change.type = event_type::edit;
    change.content = edit_claiming("unknown", "notice");
    EXPECT_EQ(decide(room, change), permitted);
}

// -- targets
// ---------------------------------------------------------------------------------------------

// The target has to be in this room, accepted, and itself no change.
// Proves: R13
TEST_F(Changes, NeedATargetInThisRoom) {
    EXPECT_EQ(
        decide(room, as_edit(said_by_bob("edit"), "elsewhere")), errc::target_event_not_found
    );
    EXPECT_EQ(
        decide(room, as_deletion(said_by_bob("deletion"), "elsewhere")),
        errc::target_event_not_found
    );
    room.referenced.push_back(as_edit(said_by_bob("edited"), "bobs"));
    EXPECT_EQ(decide(room, as_edit(said_by_bob("edit"), "edited")), errc::invalid_argument);
    EXPECT_EQ(decide(room, as_deletion(said_by_bob("edit"), "edited")), errc::invalid_argument);
}

// What a moderator blocked stays as it was refused: its author can't rewrite the evidence.
// Proves: R13, R9
TEST_F(Changes, CannotReachABlockedEvent) {
    room.referenced[0].status = event_status::blocked;
    EXPECT_EQ(decide(room, as_edit(said_by_bob("edit"), "bobs")), errc::target_event_not_found);
}

// A deleted message can't be edited, whether it was deleted before or earlier in the same batch;
// deleting it again is nothing new.
// Proves: R13
TEST_F(Changes, CannotEditWhatIsDeleted) {
    room.earlier.push_back(as_deletion(said_by_bob("refused"), "bobs"));
    room.earlier.back().status = event_status::blocked;
    EXPECT_EQ(decide(room, as_edit(said_by_bob("edit"), "bobs")), permitted);

    room.earlier.push_back(as_deletion(said_by_bob("deletion"), "bobs"));
    EXPECT_EQ(decide(room, as_edit(said_by_bob("edit"), "bobs")), errc::target_event_not_found);
    EXPECT_EQ(decide(room, as_edit(said("edit", "helper"), "helpers")), permitted);

    room.earlier.clear();
    room.referenced[0].is_deleted = true;
    EXPECT_EQ(decide(room, as_edit(said_by_bob("edit"), "bobs")), errc::target_event_not_found);
    EXPECT_EQ(decide(room, as_deletion(said_by_bob("deletion"), "bobs")), permitted);
}

// A target of the same batch, which is not stored yet, can be changed.
// Proves: R13
TEST_F(Changes, SeeTargetsOfTheSameBatch) {
    room.earlier.push_back(said_by_bob("fresh"));
    EXPECT_EQ(decide(room, as_edit(said_by_bob("edit"), "fresh")), permitted);
}

// -- what they change
// ------------------------------------------------------------------------------------

// An edit replaces the content, a deletion takes it away.
// Proves: R13
TEST(ChangeOf, TellsEditsFromDeletions) {
    const ops::target_change edit = change_of(as_edit(said_by_bob("edit"), "bobs"));
    EXPECT_EQ(edit.target, event_id{"bobs"});
    ASSERT_TRUE(edit.new_content);
    EXPECT_EQ(edit.new_content->body(), "better");

    const ops::target_change deletion = change_of(as_deletion(said_by_bob("deletion"), "bobs"));
    EXPECT_EQ(deletion.target, event_id{"bobs"});
    EXPECT_FALSE(deletion.new_content);
}

// An edit whose new content we can't read would look like a deletion: it is refused.
// Proves: R13, R16
TEST_F(Changes, RefuseAnEditWithoutContent) {
    room_event change = said_by_bob("edit");
    change.type = event_type::edit;
    change.content = from_another_version(R"({"type":"edit","target_event_id":"bobs"})");
    EXPECT_EQ(decide(room, change), errc::invalid_argument);
}

// Only edits carry edits, only deletions deletions.
// Proves: R13, R17
TEST(FitsType, KeepsChangesWithTheirTypes) {
    const content edit = content::edit(event_id{"e"}, content::text("x"));
    const content deletion = content::remove(event_id{"e"}, delete_kind::sender);
    EXPECT_TRUE(fits_type(edit, event_type::edit));
    EXPECT_FALSE(fits_type(deletion, event_type::edit));
    EXPECT_TRUE(fits_type(deletion, event_type::remove));
    EXPECT_FALSE(fits_type(edit, event_type::remove));
    EXPECT_FALSE(fits_type(edit, event_type::message));
    EXPECT_FALSE(fits_type(deletion, event_type::custom));
    EXPECT_TRUE(fits_type(content::text("x"), event_type::reaction));
    EXPECT_FALSE(fits_type(content::text("x"), event_type::edit));
}

}  // namespace
}  // namespace convene
