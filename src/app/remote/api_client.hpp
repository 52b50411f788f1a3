// SPDX-License-Identifier: Apache-2.0
// Questions to a server's API, asked again for a while when no answer comes.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/loop.hpp"
#include "convene/random.hpp"

#include <memory>
#include <optional>
#include <string>

#include "app/failure.hpp"
#include "app/remote/problem_report.hpp"
#include "app/remote/server_address.hpp"
#include "net/http_client.hpp"

namespace convene {

/// What happens when a request was sent and no answer came.
enum class when_lost {
    repeat,   ///< it does the same however often it arrives
    give_up,  ///< nobody knows whether it arrived
};

struct api_request {
    http_method method = http_method::get;
    std::string path;  ///< with its query
    std::string body;  ///< JSON; empty: none
    when_lost lost = when_lost::repeat;
    std::string idempotency_key{};  ///< empty: none
};

struct api_answer {
    std::string body;                       ///< canonical JSON; `{}` where there is none
    std::optional<problem_report> problem;  ///< the server refused
};

/// How a command ends whose request did not get through.
[[nodiscard]] failure transport_failure(error_code code, const server_address& server);

/// How a command ends that does not understand an answer; `field` is what it did not find.
[[nodiscard]] failure unknown_answer(const std::string& field, const server_address& server);

/// *Thread safety*: loop only. *Lifetime*: outlives its questions and its streams; the loop outlives it.
class api_client {
   public:
    api_client(loop& where, server_address server);

    [[nodiscard]] const server_address& server() const noexcept { return server_; }

    [[nodiscard]] random_source& random() noexcept { return random_; }

    /// One answer. A server that does not answer, or answers that it can't just now, is asked again until
    /// `retry_for` has passed. *Cancellation*: as of `http_client::send`.
    [[nodiscard]] awaitable<outcome<api_answer>> ask(api_request request);

    /// One try to open a stream of events; `last_id` says where it goes on.
    /// *Errors*, *Cancellation*: as of `http_client::open`.
    [[nodiscard]] awaitable<result<std::unique_ptr<http_reply_stream>>> open_stream(
        std::string path, std::string last_id
    );

   private:
    [[nodiscard]] http_call call_to(const std::string& path) const;
    [[nodiscard]] awaitable<result<api_answer>> try_once(const api_request* request);

    // fixed after construction
    const server_address server_;
    random_source& random_;
    http_client http_;
};

}  // namespace convene
