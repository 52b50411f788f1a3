// SPDX-License-Identifier: Apache-2.0
// Following the runs of an execution on a server: one stream after the other, each taken up again where it broke off.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "app/remote/api_client.hpp"
#include "app/remote/retry_pace.hpp"
#include "net/sse_frames.hpp"

namespace convene {

/// *Thread safety*: loop only. *Lifetime*: the client outlives it.
class execution_feed {
   public:
    execution_feed(api_client& client, const std::string& execution);

    /// The next event of the running or last run, as JSON, each once; nothing: all of it was given, or none has begun.
    /// Goes on after breaks until `retry_for` has passed without an answer. *Cancellation*: at any time.
    [[nodiscard]] awaitable<outcome<std::optional<std::string>>> next();

   private:
    enum class opened { reading, nothing_new };

    [[nodiscard]] awaitable<outcome<opened>> open();
    [[nodiscard]] awaitable<result<>> read_more();
    [[nodiscard]] awaitable<outcome<>> wait_after(failure why, milliseconds at_least);
    [[nodiscard]] bool take_frames();

    // fixed after construction
    api_client& client_;
    const std::string path_;

    // touched on the loop only
    retry_pace pace_;
    sse_frames frames_;
    std::unique_ptr<http_reply_stream> stream_;
    std::deque<std::string> ready_;
    std::string position_;  ///< the id of the last frame of a run that has not ended
    std::string done_;      ///< the run whose end was given
    bool is_over_ = false;  ///< the stream that is read has said its last
};

}  // namespace convene
