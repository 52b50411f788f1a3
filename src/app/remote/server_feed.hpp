// SPDX-License-Identifier: Apache-2.0
// Following a room of a server: its stream, taken up again where it broke off.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/conversations.hpp"
#include "app/remote/api_client.hpp"
#include "app/remote/feed_cursor.hpp"
#include "app/remote/retry_pace.hpp"

namespace convene {

/// *Lifetime*: the client outlives it.
class server_feed final : public event_feed {
   public:
    server_feed(api_client& client, std::string path, const room& followed, event_index after);

    /// Goes on after breaks: the server is asked again until `retry_for` has passed without an answer.
    [[nodiscard]] awaitable<outcome<std::vector<room_event>>> next() override;

   private:
    [[nodiscard]] awaitable<result<>> read_more();
    [[nodiscard]] awaitable<outcome<>> open();
    [[nodiscard]] awaitable<outcome<>> read_refusal(http_reply_stream* from);
    [[nodiscard]] awaitable<outcome<>> wait_after(failure why, milliseconds at_least);

    // fixed after construction
    api_client& client_;
    const std::string path_;

    // touched on the loop only
    feed_cursor cursor_;
    retry_pace pace_;
    std::unique_ptr<http_reply_stream> stream_;  ///< null between two connections
};

}  // namespace convene
