// SPDX-License-Identifier: Apache-2.0
// A client: sends with idempotency keys to whichever worker answers, and tries again until it knows.
#pragma once

#include "convene/awaitable.hpp"

#include <optional>
#include <string>
#include <vector>

#include "sim/support/client_calls.hpp"

namespace convene {

/// One person, with one request at a time.
///
/// *Lifetime*: its coroutine runs in a scope that ends before it.
class sim_client {
   public:
    sim_client(
        sim_environment around,
        sim_cluster& cluster,
        sim_executor& where,
        std::string name,
        std::vector<room_id> rooms
    );

    /// Sends all its requests.
    [[nodiscard]] awaitable<void> run();

    [[nodiscard]] bool is_done() const noexcept { return is_done_; }

    static const organization_id organization;

   private:
    struct sent_event {
        room_id room;
        event_id event;
    };

    [[nodiscard]] awaitable<void> do_something();
    [[nodiscard]] awaitable<void> send_message(outgoing_event sent);
    [[nodiscard]] awaitable<void> change_own_event();
    [[nodiscard]] awaitable<void> delete_own_event();
    [[nodiscard]] awaitable<void> close_and_reopen();
    [[nodiscard]] awaitable<void> read_tail();
    [[nodiscard]] awaitable<void> send_once();
    [[nodiscard]] awaitable<void> receive_inbound();
    [[nodiscard]] awaitable<void> mute_and_unmute();
    [[nodiscard]] awaitable<void> patch_metadata();
    [[nodiscard]] awaitable<void> greet_or_regenerate();
    [[nodiscard]] awaitable<void> set_status(room_id room, room_status to);
    [[nodiscard]] outgoing_event message_to(const room_id& room);
    [[nodiscard]] sim_word draw_word();
    [[nodiscard]] wait_for draw_wait();
    void note_answer(const std::string& key, const result<send_receipt>& receipt);

    [[nodiscard]] const room_id& draw_room() { return rooms_[random_.index(rooms_.size())]; }

    // fixed after construction
    sim_environment around_;
    sim_cluster& cluster_;
    sim_executor& where_;
    const std::string name_;
    const std::vector<room_id> rooms_;

    sim_random random_;
    client_calls calls_;
    int requests_ = 0;
    std::vector<sent_event> own_;
    bool is_done_ = false;
};

}  // namespace convene
