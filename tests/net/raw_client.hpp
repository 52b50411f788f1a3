// SPDX-License-Identifier: Apache-2.0
// A client of raw bytes on the loop of the server it talks to, so that tests need no thread.
#pragma once

#include "convene/loop.hpp"
#include "convene/wait.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "net/net_stream.hpp"

namespace convene {

/// Waits longer than any promise that is tested; a test that reaches it has failed.
inline constexpr std::chrono::seconds patience{20};

class raw_client {
   public:
    raw_client(loop& where, std::uint16_t port);
    ~raw_client();

    [[nodiscard]] awaitable<bool> send(std::string text);

    /// Reads until `mark` has come `times` times, or the other end closed. What was read is taken.
    [[nodiscard]] awaitable<std::string> receive(std::string mark, int times);

    /// Reads until the other end closes.
    [[nodiscard]] awaitable<std::string> receive_all();

    /// One whole answer with a content-length, or what came until the end.
    [[nodiscard]] awaitable<std::string> receive_answer();

    [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

    /// Sends nothing more; still reads.
    void shut_down_sending();

    void leave();

    /// Leaves with a reset.
    void reset();

   private:
    [[nodiscard]] awaitable<bool> read_more();

    loop& where_;
    int descriptor_;
    std::unique_ptr<net_stream> stream_;
    std::string received_;
    bool has_ended_ = false;
};

/// The head of a message and what follows it.
[[nodiscard]] std::string body_of(const std::string& message);

}  // namespace convene
