// SPDX-License-Identifier: Apache-2.0
// The one socket of a tab: topics, sending, realtime, and its end.
#include <gtest/gtest.h>

#include <memory>

#include "live/session_news.hpp"
#include "unit/http/live_scene.hpp"

namespace convene {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A tab of somebody, open.
class tab {
   public:
    tab(live_scene* scene, std::string who) : scene_(*scene) {
        http_request asked = http_scene::request(http_method::get, "/api/v1/ws", std::move(who));
        asked.headers.add("host", "chat.example");
        asked.headers.add("origin", "https://chat.example");
        upgrade_ = scene_.open<websocket_upgrade>(std::move(asked));
        scope_.spawn("tab", upgrade_.talk(&socket_));
        scene_.loop.run_ready();
    }

    ~tab() {
        socket_.resume();
        socket_.go();
        scene_.loop.run(scope_.join());
    }

    tab(const tab&) = delete;
    tab& operator=(const tab&) = delete;

    void say(std::string text) {
        socket_.say(std::move(text));
        scene_.loop.run_ready();
    }

    /// What came since the last call: one message a line.
    std::string taken() {
        scene_.loop.run_ready();
        std::string all;
        for (const std::string& one : std::exchange(socket_.written, {})) {
            all += one + '\n';
        }
        return all;
    }

    [[nodiscard]] played_socket& socket() noexcept { return socket_; }

    [[nodiscard]] bool has_ended() const noexcept { return scope_.size() == 0; }

   private:
    live_scene& scene_;
    websocket_upgrade upgrade_;
    played_socket socket_;
    task_scope scope_{scene_.loop};
};

class TabSocket : public testing::Test {
   protected:
    TabSocket() { scene_.make_room(); }

    static std::string sending(const std::string& ref, const std::string& text) {
        return R"({"type":"send","ref":")" + ref + R"(","room_id":"r","event":{"content":{)" +
               R"("type":"text","body":")" + text + R"("},"idempotency_key":"key-)" + ref +
               R"("}})";
    }

    live_scene scene_;
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// A tab is greeted, follows a room and gets what is said there, in order, with its positions.
// Proves: R18
TEST_F(TabSocket, FollowsARoom) {
    tab ann{&scene_, "ann"};
    EXPECT_TRUE(has(ann.taken(), R"({"type":"hello","user_id":"ann",)"));
    ann.say(R"({"type":"subscribe","topic":"room:r"})");
    EXPECT_TRUE(has(ann.taken(), R"({"type":"subscribed","topic":"room:r","position":"-1"})"));
    scene_.say("one", "bob");
    scene_.say("two", "bob");
    const std::string got = ann.taken();
    const std::size_t one = got.find(R"({"type":"event","topic":"room:r","id":"0","event":{)");
    const std::size_t two = got.find(R"({"type":"event","topic":"room:r","id":"1","event":{)");
    EXPECT_NE(one, std::string::npos) << got;
    EXPECT_LT(one, two) << got;
}

// A tab that comes back says where it was and misses nothing, gets nothing twice.
// Proves: R18
TEST_F(TabSocket, ResumesBehindItsPosition) {
    for (const char* text : {"a", "b", "c"}) {
        scene_.say(text);
    }
    tab ann{&scene_, "ann"};
    ann.say(R"({"type":"subscribe","topic":"room:r","after":"0"})");
    const std::string got = ann.taken();
    EXPECT_FALSE(has(got, R"("id":"0")")) << got;
    EXPECT_TRUE(has(got, R"("id":"1")") && has(got, R"("id":"2")")) << got;
}

// What a person types is stored in its order and answered with its reference; a repeated key is a replay.
// Proves: R8
TEST_F(TabSocket, SendsInOrder) {
    tab ann{&scene_, "ann"};
    ann.say(sending("1", "first"));
    ann.say(sending("2", "second"));
    ann.say(sending("1", "first"));
    const std::string got = ann.taken();
    EXPECT_TRUE(has(got, R"({"type":"sent","ref":"1",)")) << got;
    EXPECT_TRUE(has(got, R"({"type":"sent","ref":"2",)")) << got;
    EXPECT_TRUE(has(got, R"("replayed":true)")) << got;
    const auto events = scene_.timeline_of("acme");
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(readable_text(events[0].content), "first");
    EXPECT_EQ(events[0].source.participant.str(), "ann");
}

// What can't be sent is refused with the reference and the field, and the socket goes on.
// Proves: R16, X1
TEST_F(TabSocket, RefusesWhatCannotBeSent) {
    tab ann{&scene_, "ann"};
    ann.say(R"({"type":"send","ref":"x","room_id":"r","event":{"content":{"type":"text"}}})");
    std::string got = ann.taken();
    EXPECT_TRUE(has(got, R"({"type":"problem","ref":"x",)")) << got;
    EXPECT_TRUE(has(got, R"("field":"content.body")")) << got;
    ann.say(
        R"({"type":"send","ref":"y","room_id":"nowhere","event":{"content":{"type":"text","body":"?"}}})"
    );
    got = ann.taken();
    EXPECT_TRUE(has(got, R"("ref":"y")") && has(got, "NOT_FOUND")) << got;
    ann.say(R"({"type":"ping","ref":"p"})");
    EXPECT_TRUE(has(ann.taken(), R"({"type":"pong","ref":"p"})"));
}

// A room of others is not there, neither to follow nor to show something to.
// Proves: X1
TEST_F(TabSocket, DoesNotSeeRoomsOfOthers) {
    scene_.add_user("mallory", user_role::member);
    tab mallory{&scene_, "mallory"};
    mallory.say(R"({"type":"subscribe","topic":"room:r"})");
    EXPECT_TRUE(has(mallory.taken(), "NOT_FOUND"));
    mallory.say(R"({"type":"realtime","room_id":"r","event":{"type":"typing"}})");
    EXPECT_TRUE(has(mallory.taken(), "NOT_FOUND"));
    scene_.say("secret");
    EXPECT_FALSE(has(mallory.taken(), "secret"));
}

// Typing reaches those who follow the room, with the name of who types.
// Proves: V1
TEST_F(TabSocket, ShowsWhoIsTyping) {
    tab ann{&scene_, "ann"};
    tab bob{&scene_, "bob"};
    for (tab* const one : {&ann, &bob}) {
        one->say(R"({"type":"subscribe","topic":"room:r"})");
        one->taken();
    }
    bob.say(
        R"({"type":"realtime","room_id":"r","event":{"type":"typing","data":{"is_typing":true}}})"
    );
    const std::string got = ann.taken();
    EXPECT_TRUE(has(got, R"({"type":"typing","participant_id":"bob","data":{"is_typing":true},)"))
        << got;
}

// Who comes is seen by who is there, and sees them; who closes the last tab has gone.
// Proves: V3
TEST_F(TabSocket, ShowsWhoIsThere) {
    tab ann{&scene_, "ann"};
    ann.say(R"({"type":"subscribe","topic":"room:r"})");
    ann.taken();
    {
        tab bob{&scene_, "bob"};
        bob.say(R"({"type":"subscribe","topic":"room:r"})");
        EXPECT_TRUE(has(bob.taken(), R"("participant_id":"ann","data":{"status":"online"})"));
        EXPECT_TRUE(has(ann.taken(), R"("participant_id":"bob","data":{"status":"online"})"));
    }
    EXPECT_TRUE(has(ann.taken(), R"("participant_id":"bob","data":{"status":"offline"})"));
}

// The inbox tells how much is unread, in rooms that the tab does not follow, and once for a flood.
// Proves: R15
TEST_F(TabSocket, CountsWhatIsUnread) {
    tab bob{&scene_, "bob"};
    bob.say(R"({"type":"subscribe","topic":"me"})");
    bob.taken();
    scene_.say("one");
    EXPECT_TRUE(has(bob.taken(), R"("unread":1)"));
    for (int i = 0; i < 10; ++i) {
        scene_.say("more");
    }
    scene_.loop.advance(milliseconds{250});
    const std::string got = bob.taken();
    EXPECT_TRUE(has(got, R"("unread":11)")) << got;
    EXPECT_FALSE(has(got, R"("unread":5,)")) << got;
}

// Reading in one tab tells the other one; a room that changes, comes or goes is told by its id.
// Proves: R15
TEST_F(TabSocket, TellsOtherTabsOfThePerson) {
    scene_.say("one");
    tab bob{&scene_, "bob"};
    bob.say(R"({"type":"subscribe","topic":"me"})");
    bob.taken();
    EXPECT_EQ(scene_.put("/api/v1/rooms/r/read-markers", R"({"index":0})", "bob").status, 200);
    EXPECT_TRUE(has(bob.taken(), R"("unread":0)"));
    scene_.loop.advance(milliseconds{250});
    EXPECT_EQ(scene_.patch("/api/v1/rooms/r", R"({"name":"Cellar"})").status, 200);
    EXPECT_TRUE(has(bob.taken(), R"({"type":"rooms_changed","topic":"me","room_id":"r"})"));
    scene_.loop.advance(milliseconds{250});
    EXPECT_EQ(scene_.erase("/api/v1/rooms/r/participants/bob").status, 204);
    EXPECT_TRUE(has(bob.taken(), R"({"type":"rooms_changed","topic":"me","room_id":"r"})"));
}

// Whoever is in a session's room, or may see every room, is told when it runs, asks or ends; nobody else.
// Proves: A6, X1
TEST_F(TabSocket, TellsOfSessions) {
    tab bob{&scene_, "bob"};
    tab olga{&scene_, "olga"};
    tab eve{&scene_, "eve"};
    for (tab* const one : {&bob, &olga, &eve}) {
        one->say(R"({"type":"subscribe","topic":"me"})");
        one->taken();
    }
    session_news news{&scene_.store, &scene_.inbox};
    scene_.loop.run(news.tell(organization_id{"acme"}, room_id{"r"}));
    scene_.loop.advance(milliseconds{250});
    const std::string told = R"({"type":"session_changed","topic":"me","room_id":"r"})";
    EXPECT_TRUE(has(bob.taken(), told));
    EXPECT_TRUE(has(olga.taken(), told));
    EXPECT_TRUE(eve.taken().empty());
}

// Whoever may see every room is told of every room that changes, is made, or that somebody joins; nobody else, and
// nobody of another organisation.
// Proves: R18, X1
TEST_F(TabSocket, OperatorsAreToldOfEveryRoom) {
    tab olga{&scene_, "olga"};
    tab eve{&scene_, "eve"};
    tab bob{&scene_, "bob"};
    for (tab* const one : {&olga, &eve, &bob}) {
        one->say(R"({"type":"subscribe","topic":"me"})");
        one->taken();
    }
    scene_.make_room("s");
    scene_.loop.advance(milliseconds{250});
    EXPECT_TRUE(has(olga.taken(), R"({"type":"rooms_changed","topic":"me","room_id":"s"})"));
    EXPECT_EQ(scene_.patch("/api/v1/rooms/r", R"({"name":"Cellar"})").status, 200);
    scene_.loop.advance(milliseconds{250});
    EXPECT_TRUE(has(olga.taken(), R"({"type":"rooms_changed","topic":"me","room_id":"r"})"));
    EXPECT_EQ(scene_.erase("/api/v1/rooms/r/participants/bob").status, 204);
    scene_.loop.advance(milliseconds{250});
    EXPECT_TRUE(has(olga.taken(), R"({"type":"rooms_changed","topic":"me","room_id":"r"})"));
    EXPECT_TRUE(eve.taken().empty());
    bob.taken();
    scene_.post("/api/v1/rooms", R"({"id":"t"})");
    scene_.loop.advance(milliseconds{250});
    EXPECT_TRUE(bob.taken().empty());
}

// A deactivated person's socket ends within 5 s, whatever it follows.
// Proves: R18
TEST_F(TabSocket, EndsWithTheAccount) {
    tab idle{&scene_, "bob"};
    tab inbox{&scene_, "bob"};
    inbox.say(R"({"type":"subscribe","topic":"me"})");
    scene_.loop.advance(seconds{30});
    EXPECT_FALSE(idle.has_ended());
    scene_.callers.callers.erase("bob");
    scene_.loop.advance(seconds{5});
    EXPECT_EQ(idle.socket().closed_with, 1008);
    EXPECT_EQ(inbox.socket().closed_with, 1008);
    EXPECT_TRUE(inbox.has_ended());
}

// Another role sees other rooms: the tab is told to come again.
// Proves: R18
TEST_F(TabSocket, EndsWithTheRole) {
    tab olga{&scene_, "olga"};
    olga.say(R"({"type":"subscribe","topic":"me"})");
    scene_.callers.callers["olga"].role = user_role::member;
    scene_.loop.advance(seconds{5});
    EXPECT_EQ(olga.socket().closed_with, 1001);
}

// What is no message of ours ends the socket with a code that says so.
// Proves: R16
TEST_F(TabSocket, EndsOnWhatIsNoMessage) {
    for (const char* nonsense :
         {"hello", "[]", R"({"type":"shout"})", "{\"type\":\"ping\",\"ref\":\"\xff\"}"}) {
        tab ann{&scene_, "ann"};
        ann.say(nonsense);
        EXPECT_EQ(ann.socket().closed_with, 4400) << nonsense;
        EXPECT_TRUE(ann.has_ended());
    }
}

// A tab that does not read costs a bounded amount of memory and gets everything once it reads on.
// Proves: R18
TEST_F(TabSocket, ASlowTabIsBoundedAndMissesNothing) {
    tab ann{&scene_, "ann"};
    ann.say(R"({"type":"subscribe","topic":"room:r"})");
    ann.taken();
    ann.socket().is_stalled = true;
    const std::string text(4'000, 'x');
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(scene_.say(text, "bob").status, 201);
    }
    // More pings than it reads answers to: they wait unread.
    for (int i = 0; i < 20'000; ++i) {
        ann.socket().say(R"({"type":"ping","ref":"p"})");
    }
    scene_.loop.run_ready();
    EXPECT_TRUE(ann.socket().written.empty());
    ann.socket().resume();
    const std::string got = ann.taken();
    std::size_t events = 0;
    for (std::size_t at = got.find(R"("type":"event")"); at != std::string::npos;
         at = got.find(R"("type":"event")", at + 1)) {
        ++events;
    }
    EXPECT_EQ(events, 300U);
}

// Access that ends is told, and the topic may be asked for again later.
// Proves: R18
TEST_F(TabSocket, LosingARoomEndsItsTopicOnly) {
    tab bob{&scene_, "bob"};
    bob.say(R"({"type":"subscribe","topic":"room:r"})");
    bob.taken();
    EXPECT_EQ(scene_.erase("/api/v1/rooms/r/participants/bob").status, 204);
    scene_.loop.advance(seconds{5});
    EXPECT_TRUE(has(bob.taken(), R"({"type":"ended","topic":"room:r","reason":"access_removed"})"));
    scene_.say("not for bob");
    EXPECT_FALSE(has(bob.taken(), "not for bob"));
    bob.say(R"({"type":"subscribe","topic":"room:r"})");
    EXPECT_TRUE(has(bob.taken(), "NOT_FOUND"));
    EXPECT_FALSE(bob.has_ended());
}

// A worker that goes away closes its tabs so that they come back elsewhere.
// Proves: O3
TEST_F(TabSocket, IsClosedWhenTheWorkerGoesAway) {
    tab ann{&scene_, "ann"};
    scene_.draining.set();
    ann.taken();
    EXPECT_EQ(ann.socket().closed_with, 1001);
    EXPECT_TRUE(ann.has_ended());
}

// A page of somebody else may not open a socket with a person's cookie.
// Proves: X1
TEST_F(TabSocket, IsForOurOwnPage) {
    http_request asked = http_scene::request(http_method::get, "/api/v1/ws", "ann");
    asked.headers.add("host", "chat.example");
    asked.headers.add("origin", "https://evil.example");
    EXPECT_EQ(scene_.http_scene::ask(std::move(asked)).status, 403);
}

}  // namespace
}  // namespace convene
