// SPDX-License-Identifier: Apache-2.0
// The one socket of a browser tab: rooms, the person's inbox, sending, realtime (docs/api.md).
#pragma once

#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "http/stream/stream_parts.hpp"
#include "net/http_message.hpp"

namespace convene {

/// What is said on one socket, from its opening to its end.
///
/// Each topic has a task that reads on when the peer has taken what was written before: a slow reader slows down
/// its own topics. Realtime events that it has no room for are dropped.
///
/// *Thread safety*: loop only. *Lifetime*: `run` once; it ends when nothing of the socket runs any more.
class tab_socket {
   public:
    tab_socket(stream_parts parts, principal who, std::string id, websocket* socket);
    ~tab_socket();

    tab_socket(const tab_socket&) = delete;
    tab_socket& operator=(const tab_socket&) = delete;

    [[nodiscard]] awaitable<void> run();

   private:
    /// A topic that the tab follows.
    struct following {
        explicit following(executor& where) : tasks(where) {}

        bool is_over = false;  ///< it was told so, and may subscribe again
        task_scope tasks;
    };

    struct sending {
        std::string ref;
        room_id room;
        std::string event;  ///< as it was sent
    };

    struct goodbye {
        std::uint16_t code = 1000;
        std::string reason;
    };

    // what the peer says
    [[nodiscard]] awaitable<void> listen();
    [[nodiscard]] awaitable<bool> handle(std::string text);
    [[nodiscard]] awaitable<void> subscribe(std::string topic, std::string after, std::string ref);
    [[nodiscard]] awaitable<void> unsubscribe(std::string topic);
    [[nodiscard]] awaitable<void> forget(std::string topic);
    void start_sending(sending wanted);
    void publish(const room_id& room, std::string event, const std::string& ref);

    // what runs for it
    [[nodiscard]] awaitable<void> follow_room(std::string topic, room_id room, std::string after);
    [[nodiscard]] awaitable<void> read_room(std::string topic, room_id room, std::string after);
    [[nodiscard]] awaitable<void> show_realtime(std::string topic, room_id room);
    [[nodiscard]] awaitable<void> follow_inbox();
    [[nodiscard]] awaitable<void> watch_drain();
    [[nodiscard]] awaitable<void> watch_access();
    [[nodiscard]] awaitable<void> send_all();
    [[nodiscard]] awaitable<void> send_one(sending wanted);
    [[nodiscard]] awaitable<or_problem<room_context>> enter(room_id room);
    [[nodiscard]] awaitable<void> tell_unread(room_id room);

    // what is written
    [[nodiscard]] awaitable<void> write_all();
    void say(std::string message);
    [[nodiscard]] bool has_room() const noexcept;
    [[nodiscard]] awaitable<result<>> until_room();
    void say_problem(const problem& what, std::string_view ref, std::string_view topic);
    void leave(std::uint16_t code, std::string reason);

    // fixed after construction
    const stream_parts parts_;
    const principal who_;
    const std::string id_;
    websocket& socket_;

    // touched on the loop only
    std::deque<std::string> outbox_;
    std::size_t outbox_bytes_ = 0;
    wait_flag outbox_filled_;
    wait_flag outbox_drained_;
    std::deque<sending> to_send_;
    wait_flag send_wanted_;
    std::set<room_id> rooms_entered_;  ///< which it may show realtime events to
    std::map<std::string, std::unique_ptr<following>> topics_;
    std::optional<goodbye> goodbye_;
    cancel_source ended_;  ///< requested with the good-bye: nothing more is read
    task_scope tasks_;
};

}  // namespace convene
