// SPDX-License-Identifier: Apache-2.0
// The model's frozen words, and looking things up in a room's context.
#include "convene/delivery.hpp"
#include "convene/event.hpp"
#include "convene/room.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace convene {
namespace {

using words = std::initializer_list<std::string_view>;

/// The enumerators are numbered from 1: the n-th has the n-th word, and there is none beyond the
/// last.
template <class Enum>
void expect_words(words frozen) {
    std::size_t number = 0;
    for (const std::string_view word : frozen) {
        EXPECT_EQ(word_of(static_cast<Enum>(++number)), word);
    }
    EXPECT_EQ(word_of(static_cast<Enum>(number + 1)), "");
    EXPECT_EQ(word_of(static_cast<Enum>(0)), "");
}

/// Every word leads back to its enumerator; nothing else leads anywhere.
template <class Enum>
void expect_words_both_ways(words frozen, std::optional<Enum> (*from)(std::string_view) noexcept) {
    expect_words<Enum>(frozen);
    std::size_t number = 0;
    for (const std::string_view word : frozen) {
        EXPECT_EQ(from(word), static_cast<Enum>(++number)) << word;
    }
    for (const std::string_view other : {"", " ", "unheard_of", "ACTIVE", "none "}) {
        EXPECT_EQ(from(other), std::nullopt) << other;
    }
}

// The words and numbers of events are stored: they are what they always were.
TEST(Model, KeepsTheWordsOfEvents) {
    expect_words_both_ways<event_type>(
        {"message",
         "system",
         "edit",
         "delete",
         "reaction",
         "tool_call_start",
         "tool_call_end",
         "participant_joined",
         "participant_left",
         "channel_attached",
         "channel_detached",
         "task_created",
         "observation",
         "custom"},
        &event_type_from
    );
    expect_words<event_status>({"accepted", "blocked"});
}

// The words and numbers of rooms, and of what hangs on them, are stored.
TEST(Model, KeepsTheWordsOfRooms) {
    expect_words_both_ways<room_status>(
        {"active", "paused", "closed", "archived"}, &room_status_from
    );
    expect_words_both_ways<channel_kind>({"transport", "intelligence"}, &channel_kind_from);
    expect_words_both_ways<access>({"read_write", "read_only", "write_only", "none"}, &access_from);
    expect_words_both_ways<participant_role>(
        {"member", "owner", "agent", "observer", "bot"}, &participant_role_from
    );
    expect_words_both_ways<participant_status>(
        {"active", "inactive", "left", "banned"}, &participant_status_from
    );
    expect_words_both_ways<task_status>(
        {"pending", "in_progress", "completed", "failed", "cancelled"}, &task_status_from
    );
}

// The words and numbers of deliveries are stored.
TEST(Model, KeepsTheWordsOfDeliveries) {
    expect_words_both_ways<target_kind>({"channel", "agent", "hook_after"}, &target_kind_from);
    expect_words_both_ways<delivery_state>(
        {"pending", "streaming", "done", "failed", "deferred", "skipped"}, &delivery_state_from
    );
}

// A context finds the bindings and participants it holds, and nothing for other ids.
TEST(Model, FindsWhatARoomContextHolds) {
    room_context context;
    context.bindings.resize(2);
    context.bindings[0].channel = channel_id{"sms"};
    context.bindings[1].channel = channel_id{"web"};
    context.participants.resize(2);
    context.participants[0].id = participant_id{"ann"};
    context.participants[1].id = participant_id{"bob"};
    EXPECT_EQ(context.find_binding(channel_id{"web"}), &context.bindings[1]);
    EXPECT_EQ(context.find_binding(channel_id{"fax"}), nullptr);
    EXPECT_EQ(context.find_participant(participant_id{"bob"}), &context.participants[1]);
    EXPECT_EQ(context.find_participant(participant_id{"eve"}), nullptr);
    EXPECT_EQ(room_context{}.find_binding(channel_id{"web"}), nullptr);
}

}  // namespace
}  // namespace convene
