// SPDX-License-Identifier: Apache-2.0
// The way into a room: keys, timeouts, closed rooms, hooks, inbound routing.
#include <gtest/gtest.h>

#include "support/kit_scene.hpp"

namespace convene {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using texts = std::vector<std::string>;

inbound_message from(std::string sender, std::string text, std::string key = {}) {
    inbound_message message;
    message.channel = channel_id{"phone"};
    message.sender = std::move(sender);
    message.content = content::text(text);
    message.idempotency_key = std::move(key);
    return message;
}

awaitable<void> send_into(
    room_kit* kit, outgoing_event sent, std::vector<result<send_receipt>>* receipts
) {
    auto receipt = co_await kit->send_event(std::move(sent), wait_for::delivered);
    receipts->push_back(std::move(receipt));
}

awaitable<void> take_in(
    room_kit* kit, inbound_message message, std::vector<result<send_receipt>>* receipts
) {
    auto receipt = co_await kit->process_inbound(std::move(message), wait_for::delivered);
    receipts->push_back(std::move(receipt));
}

hook_definition gate_hook(std::string id, coroutine_hook run) {
    hook_definition hook;
    hook.id = hook_id{std::move(id)};
    hook.run = std::move(run);
    return hook;
}

// A repeated key answers with the first event, marked as a replay; nothing is stored or delivered again.
// Proves: R8
TEST(KitSending, ARepeatedKeyIsAReplay) {
    kit_scene scene;
    scene.open();
    const auto first = scene.send(kit_scene::says("hello", "k"));
    const auto second = scene.send(kit_scene::says("hello", "k"));
    ASSERT_TRUE(first && second);
    EXPECT_FALSE(first->is_replay);
    EXPECT_TRUE(second->is_replay);
    EXPECT_EQ(second->event.id, first->event.id);
    EXPECT_EQ(second->progress, delivery_progress::delivered);
    EXPECT_EQ(scene.timeline().size(), 1U);
    EXPECT_EQ(scene.phone->sent().size(), 1U);
}

// The same key with another body is refused and changes nothing.
// Proves: R8
TEST(KitSending, AKeyWithAnotherBodyIsRefused) {
    kit_scene scene;
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("hello", "k")));
    const auto other = scene.send(kit_scene::says("goodbye", "k"));
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error(), errc::idempotency_key_reused);
    EXPECT_EQ(scene.timeline().size(), 1U);
}

// Fifty concurrent sends of one key store one event, and all get it.
// Proves: R8 (rk:D10)
TEST(KitSending, ConcurrentRepeatsStoreOneEvent) {
    kit_scene scene;
    scene.open();
    task_scope scope{scene.loop};
    std::vector<result<send_receipt>> receipts;
    for (int i = 0; i < 50; ++i) {
        scope.spawn("send", send_into(scene.kit.get(), kit_scene::says("hello", "k"), &receipts));
    }
    scene.loop.run(scope.join());
    ASSERT_EQ(receipts.size(), 50U);
    int firsts = 0;
    for (const auto& receipt : receipts) {
        ASSERT_TRUE(receipt);
        EXPECT_EQ(receipt->event.id, receipts.front()->event.id);
        if (!receipt->is_replay) {
            ++firsts;
        }
    }
    EXPECT_EQ(firsts, 1);
    EXPECT_EQ(scene.timeline().size(), 1U);
}

// A duplicate of a blocked event answers as the first one did: blocked.
// Proves: R8, R9
TEST(KitSending, ARepeatOfABlockedEventIsStillBlocked) {
    kit_scene scene;
    scene.open();
    auto block = [](hook_input) -> awaitable<hook_verdict> {
        co_return hook_verdict::block("no_swearing");
    };
    ASSERT_TRUE(scene.kit->add_hook(gate_hook("moderator", block)));
    for (int i = 0; i < 2; ++i) {
        const auto receipt = scene.send(kit_scene::says("!!!", "k"));
        ASSERT_TRUE(receipt);
        EXPECT_EQ(receipt->event.status, event_status::blocked);
        EXPECT_EQ(receipt->event.block_reason, "no_swearing");
        EXPECT_EQ(receipt->is_replay, i == 1);
    }
    EXPECT_TRUE(scene.phone->sent().empty());
    EXPECT_EQ(scene.timeline().size(), 1U) << "a blocked event takes an index";
    EXPECT_EQ(scene.notices("event_blocked").size(), 1U);
}

/// What live readers are told, with the room that it was decided in.
class told_commits final : public commit_listener {
   public:
    texts told;

    void committed(
        const std::shared_ptr<const room_context>& around, const std::vector<room_event>& events
    ) noexcept override {
        for (const room_event& event : events) {
            told.push_back(around->room.id.str() + ' ' + readable_text(event.content));
        }
    }

    void erased(const room_id& /*room*/, const std::vector<event_id>& /*events*/) noexcept
        override {}
};

// A commit whose answer was lost is looked for under the same lock: found, it is the sender's result, it is delivered, and
// readers are told of it with its room.
// Proves: R8, R18, D1
TEST(KitSending, ALostAnswerIsFoundOut) {
    kit_scene scene;
    told_commits readers;
    scene.commits.to = &readers;
    scene.open();
    ASSERT_TRUE(scene.send(kit_scene::says("before")));
    scene.store.lost_answers = 1;
    const auto receipt = scene.send(kit_scene::says("lost"));
    ASSERT_TRUE(receipt) << receipt.error().message();
    EXPECT_EQ(receipt->event.index, event_index{1});
    EXPECT_EQ(readers.told, (texts{"r before", "r lost"}));
    EXPECT_EQ(texts_of(scene.phone->sent()), (texts{"before", "lost"}));
    EXPECT_EQ(scene.timeline().size(), 2U);
    scene.commits.to = nullptr;
}

// A closed room refuses, stores nothing, and says so; it can be read and reopened.
// Proves: R4
TEST(KitSending, AClosedRoomRefuses) {
    kit_scene scene;
    scene.open();
    for (const room_status status : {room_status::closed, room_status::archived}) {
        ASSERT_TRUE(scene.loop.run(scene.kit->set_room_status({}, room_id{"r"}, status)));
        const auto refused = scene.send(kit_scene::says("hello"));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error(), errc::room_closed);
        EXPECT_TRUE(scene.timeline().empty());
    }
    EXPECT_EQ(scene.notices("room_refused_event").size(), 2U);
    ASSERT_TRUE(scene.loop.run(scene.kit->set_room_status({}, room_id{"r"}, room_status::active)));
    EXPECT_TRUE(scene.send(kit_scene::says("hello")));
}

// A new event resumes a paused room.
// Proves: R4
TEST(KitSending, APausedRoomResumes) {
    kit_scene scene;
    scene.open();
    ASSERT_TRUE(scene.loop.run(scene.kit->set_room_status({}, room_id{"r"}, room_status::paused)));
    ASSERT_TRUE(scene.send(kit_scene::says("hello")));
    EXPECT_EQ(scene.stored_room().status, room_status::active);
    EXPECT_TRUE(scene.send(kit_scene::says("and again")));
}

// A stuck holder of the room lock costs the sender process_timeout and leaves nothing behind.
// Proves: R7 (rk:D3, rk:D6)
TEST(KitSending, AStuckLockIsAProcessTimeout) {
    room_kit_settings settings;
    settings.process_timeout = milliseconds{200};
    kit_scene scene{settings};
    scene.open();
    auto stuck = scene.loop.run(
        scene.locks->acquire(lease_name::room({}, room_id{"r"}), deadline::never())
    );
    ASSERT_TRUE(stuck);
    const monotonic_time before = scene.loop.now();
    const auto late = scene.send(kit_scene::says("hello"));
    EXPECT_EQ(scene.loop.now() - before, milliseconds{200});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error(), errc::process_timeout);
    ASSERT_TRUE(scene.loop.run((*stuck)->release()));
    scene.loop.advance(seconds{5});
    EXPECT_TRUE(scene.timeline().empty());
    EXPECT_EQ(scene.notices("process_timeout").size(), 1U);
    EXPECT_TRUE(scene.send(kit_scene::says("hello"))) << "a healthy message commits afterwards";
}

// A hook that hangs costs its own deadline, then its policy counts: open lets the event through.
// Proves: R9 (rk:D4)
TEST(KitSending, AHangingHookFailsByItsPolicy) {
    kit_scene scene;
    scene.open();
    auto hang = [](hook_input) -> awaitable<hook_verdict> {
        const result<> slept = co_await sleep_for(std::chrono::hours(1));
        static_cast<void>(slept);
        co_return hook_verdict::block("late");
    };
    ASSERT_TRUE(scene.kit->add_hook(gate_hook("open", hang)));
    const monotonic_time before = scene.loop.now();
    const auto through = scene.send(kit_scene::says("hello"), wait_for::committed);
    ASSERT_TRUE(through);
    EXPECT_EQ(through->event.status, event_status::accepted);
    EXPECT_EQ(scene.loop.now() - before, milliseconds{50});

    hook_definition closed = gate_hook("closed", hang);
    closed.on_failure = hook_failure_policy::fail_closed;
    ASSERT_TRUE(scene.kit->add_hook(std::move(closed)));
    const auto blocked = scene.send(kit_scene::says("hello"), wait_for::committed);
    ASSERT_TRUE(blocked);
    EXPECT_EQ(blocked->event.status, event_status::blocked);
    EXPECT_EQ(blocked->event.block_reason, "hook_failed");
}

awaitable<hook_verdict> send_then_allow(room_kit* kit, room_id into, hook_input input) {
    if (input.event.content.body() == "nested") {
        co_return hook_verdict::allow();
    }
    outgoing_event nested = kit_scene::says("nested");
    nested.room = std::move(into);
    const auto sent = co_await kit->send_event(std::move(nested), wait_for::delivered);
    EXPECT_TRUE(sent) << sent.error().message();
    if (sent) {
        EXPECT_EQ(sent->progress, delivery_progress::committed);
    }
    co_return hook_verdict::allow();
}

// A hook that sends into its own room commits on the lock that is held: no deadlock, both events delivered.
// Proves: R9, D10 (rk:M5, rk:L15)
TEST(KitSending, AHookMaySendIntoItsOwnRoom) {
    kit_scene scene;
    scene.open();
    room_kit* kit = scene.kit.get();
    ASSERT_TRUE(scene.kit->add_hook(gate_hook("sender", [kit](hook_input input) {
        return send_then_allow(kit, room_id{"r"}, std::move(input));
    })));
    const auto receipt = scene.send(kit_scene::says("outer"));
    ASSERT_TRUE(receipt);
    scene.loop.advance(seconds{1});
    EXPECT_EQ(texts_of(scene.phone->sent()), (texts{"nested", "outer"}));
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{1});
}

// An injected event follows the event that caused it, points at it, and goes to the named channels only.
// Proves: R9, R11a
TEST(KitSending, InjectedEventsFollowTheirCause) {
    kit_scene scene;
    scene.open();
    auto inject = [](hook_input) -> awaitable<hook_verdict> {
        hook_verdict verdict;
        injected_event more;
        more.content = content::text("by the way");
        more.targets.push_back(channel_id{"phone"});
        verdict.injected.push_back(std::move(more));
        co_return verdict;
    };
    ASSERT_TRUE(scene.kit->add_hook(gate_hook("injector", inject)));
    const auto receipt = scene.send(kit_scene::says("hello"));
    ASSERT_TRUE(receipt);
    const auto events = scene.timeline();
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[1].caused_by, events[0].id);
    EXPECT_EQ(texts_of(scene.phone->sent()), (texts{"hello", "by the way"}));
    EXPECT_TRUE(scene.web->sent().empty());
}

// An edit changes its target in the transaction of the edit, and only after the hooks allowed it.
// Proves: R13
TEST(KitSending, AnEditChangesItsTargetOrNothing) {
    kit_scene scene;
    scene.open();
    const auto first = scene.send(kit_scene::says("helo"));
    ASSERT_TRUE(first);
    outgoing_event edit = kit_scene::says("");
    edit.type = event_type::edit;
    edit.content = content::edit(first->event.id, content::text("hello"));
    ASSERT_TRUE(scene.send(edit));
    EXPECT_EQ(readable_text(scene.timeline().front().content), "hello");
    EXPECT_TRUE(scene.timeline().front().is_edited);

    auto block = [](hook_input) -> awaitable<hook_verdict> {
        co_return hook_verdict::block("moderated");
    };
    ASSERT_TRUE(scene.kit->add_hook(gate_hook("moderator", block)));
    edit.content = content::edit(first->event.id, content::text("something rude"));
    const auto blocked = scene.send(edit);
    ASSERT_TRUE(blocked);
    EXPECT_EQ(blocked->event.status, event_status::blocked);
    EXPECT_EQ(readable_text(scene.timeline().front().content), "hello");

    edit.participant = participant_id{"mallory"};
    const auto foreign = scene.send(edit);
    ASSERT_FALSE(foreign);
    EXPECT_EQ(foreign.error(), errc::not_authorized);
}

// A hard delete removes the event and its replies for good; the index is not reused and the key stays known.
// Proves: R13, R1, R8
TEST(KitSending, AHardDeleteKeepsItsIndex) {
    kit_scene scene;
    scene.open();
    const auto root = scene.send(kit_scene::says("root", "k"));
    ASSERT_TRUE(root);
    outgoing_event reply = kit_scene::says("reply");
    reply.parent = root->event.id;
    ASSERT_TRUE(scene.send(reply));
    const auto gone = scene.loop.run(scene.kit->delete_event({}, room_id{"r"}, root->event.id));
    ASSERT_TRUE(gone);
    EXPECT_EQ(gone->size(), 2U);
    EXPECT_TRUE(scene.timeline().empty());
    const auto again = scene.send(kit_scene::says("root", "k"));
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error(), errc::event_deleted);
    const auto next = scene.send(kit_scene::says("next"));
    ASSERT_TRUE(next);
    EXPECT_EQ(next->event.index, event_index{2});
    EXPECT_EQ(scene.stored_room().delivered_index, event_index{2});
}

// Text that is not text is refused by the kit before anything is stored.
// Proves: R16
TEST(KitSending, MalformedTextIsRefusedAtTheDoor) {
    kit_scene scene;
    scene.open();
    outgoing_event hostile = kit_scene::says("hello");
    hostile.correlation_id = "bad\xff";
    const auto refused = scene.send(hostile);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::invalid_argument);
    EXPECT_TRUE(scene.timeline().empty());
    EXPECT_TRUE(scene.send(kit_scene::says("hello")));
}

// A caller's own text is refused, not repaired behind its back, also where it comes by a channel.
// Proves: R16
TEST(KitSending, MalformedContentIsRefusedAtTheDoor) {
    kit_scene scene;
    scene.open();
    const auto sent = scene.send(kit_scene::says("bad\xff"));
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error(), errc::invalid_argument);
    inbound_message message = from("+1", "bad\xff");
    message.room = room_id{"r"};
    const auto taken = scene.loop.run(scene.kit->process_inbound(message, wait_for::delivered));
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error(), errc::invalid_argument);
    EXPECT_TRUE(scene.timeline().empty());
}

// A sender's first message makes a room and a route; the next one goes to the same room, and a closed room is
// replaced.
// Proves: R6
TEST(KitInbound, RoutesASenderToOneRoom) {
    kit_scene scene;
    scene.reopen();
    const auto first = scene.loop.run(
        scene.kit->process_inbound(from("+1", "hi"), wait_for::delivered)
    );
    const auto second = scene.loop.run(
        scene.kit->process_inbound(from("+1", "again"), wait_for::delivered)
    );
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->event.room, second->event.room);
    EXPECT_FALSE(first->event.source.participant.empty());
    EXPECT_EQ(first->event.source.participant, second->event.source.participant);

    ASSERT_TRUE(
        scene.loop.run(scene.kit->set_room_status({}, first->event.room, room_status::closed))
    );
    const auto third = scene.loop.run(
        scene.kit->process_inbound(from("+1", "new start"), wait_for::delivered)
    );
    ASSERT_TRUE(third);
    EXPECT_NE(third->event.room, first->event.room);
}

// Several candidate rooms are no reason to guess: a new room is made.
// Proves: R6
TEST(KitInbound, NeverGuessesBetweenRooms) {
    kit_scene scene;
    scene.reopen();
    const auto a = scene.loop.run(scene.kit->process_inbound(from("+1", "hi"), wait_for::committed)
    );
    const auto b = scene.loop.run(scene.kit->process_inbound(from("+2", "hi"), wait_for::committed)
    );
    const auto c = scene.loop.run(scene.kit->process_inbound(from("+3", "hi"), wait_for::committed)
    );
    ASSERT_TRUE(a && b && c);
    EXPECT_EQ(b->event.room, a->event.room) << "the channel's only room";
    EXPECT_EQ(c->event.room, a->event.room);

    room other;
    other.id = room_id{"other"};
    binding phone = scene.bindings.front();
    phone.room = other.id;
    ASSERT_TRUE(scene.loop.run(scene.kit->create_room(other, {phone}, {})));
    const auto d = scene.loop.run(scene.kit->process_inbound(from("+4", "hi"), wait_for::committed)
    );
    ASSERT_TRUE(d);
    EXPECT_NE(d->event.room, a->event.room);
    EXPECT_NE(d->event.room, other.id);
}

// Two first messages of one sender at once end in one room.
// Proves: R6
TEST(KitInbound, ConcurrentFirstMessagesShareARoom) {
    kit_scene scene;
    scene.reopen();
    task_scope scope{scene.loop};
    std::vector<result<send_receipt>> receipts;
    for (int i = 0; i < 8; ++i) {
        scope.spawn("in", take_in(scene.kit.get(), from("+1", "hi"), &receipts));
    }
    scene.loop.run(scope.join());
    ASSERT_EQ(receipts.size(), 8U);
    for (const auto& receipt : receipts) {
        ASSERT_TRUE(receipt);
        EXPECT_EQ(receipt->event.room, receipts.front()->event.room);
    }
}

// A provider's redelivery, before a room is known, is answered with the first event.
// Proves: R8 (rk:D10)
TEST(KitInbound, ARedeliveryIsAReplay) {
    kit_scene scene;
    scene.reopen();
    const auto first = scene.loop.run(
        scene.kit->process_inbound(from("+1", "hi", "m1"), wait_for::delivered)
    );
    const auto again = scene.loop.run(
        scene.kit->process_inbound(from("+1", "hi", "m1"), wait_for::delivered)
    );
    ASSERT_TRUE(first && again);
    EXPECT_TRUE(again->is_replay);
    EXPECT_EQ(again->event.id, first->event.id);
}

// After a hard delete the provider's redelivery is gone; the key with another body is still another body.
// Proves: R8
TEST(KitInbound, AKeyOfADeletedMessageStillGuardsItsBody) {
    kit_scene scene;
    scene.reopen();
    const auto first = scene.loop.run(
        scene.kit->process_inbound(from("+1", "hi", "m1"), wait_for::delivered)
    );
    ASSERT_TRUE(first);
    ASSERT_TRUE(scene.loop.run(scene.kit->delete_event({}, first->event.room, first->event.id)));
    const auto again = scene.loop.run(
        scene.kit->process_inbound(from("+1", "hi", "m1"), wait_for::delivered)
    );
    EXPECT_EQ(again.error(), errc::event_deleted);
    const auto other = scene.loop.run(
        scene.kit->process_inbound(from("+1", "bye", "m1"), wait_for::delivered)
    );
    EXPECT_EQ(other.error(), errc::idempotency_key_reused);
}

// A channel that was detached on purpose is not brought back by the next message: the message is stored blocked.
// Proves: R6, R10
TEST(KitInbound, ADetachedChannelStaysDetached) {
    kit_scene scene;
    scene.open();
    ASSERT_TRUE(scene.loop.run(scene.kit->detach_channel({}, room_id{"r"}, channel_id{"phone"})));
    inbound_message message = from("+1", "hi");
    message.room = room_id{"r"};
    const auto receipt = scene.loop.run(scene.kit->process_inbound(message, wait_for::delivered));
    ASSERT_TRUE(receipt);
    EXPECT_EQ(receipt->event.status, event_status::blocked);
    const auto context = scene.loop.run(scene.kit->get_room({}, room_id{"r"}));
    ASSERT_TRUE(context);
    EXPECT_EQ(context->find_binding(channel_id{"phone"}), nullptr);

    binding back = scene.bindings.front();
    back.room = room_id{"r"};
    ASSERT_TRUE(scene.loop.run(scene.kit->attach_channel({}, back)));
    EXPECT_EQ(
        scene.loop.run(scene.kit->process_inbound(message, wait_for::delivered))->event.status,
        event_status::accepted
    );
}

// A store that outlives the process beside locks that don't is warned of in the documented words.
// Proves: L12 (rk:K13)
TEST(KitPairing, MemoryStoreAndMemoryLocksAreSafe) {
    kit_scene scene;
    EXPECT_EQ(pairing_warning(*scene.world->store, *scene.locks), "");
}

}  // namespace
}  // namespace convene
