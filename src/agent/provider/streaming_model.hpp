// SPDX-License-Identifier: Apache-2.0
// `streaming_model`: asks a provider over HTTP and gives its answer on while it comes.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/chat_model.hpp"
#include "convene/random.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "agent/provider/model_provider.hpp"
#include "agent/provider/retry_rules.hpp"
#include "net/http_client.hpp"

namespace convene {

/// As `http_client::open`. *Lifetime*: outlives who has it.
using http_opener = std::function<
    awaitable<result<std::unique_ptr<http_reply_stream>>>(http_call call, deadline until)>;

struct asking_limits {
    retry_rules retries;
    milliseconds silence{120'000};  ///< longest without a byte, from the request on
    answer_limits answer;
};

/// Any provider, by its `model_provider`. See `chat_model` for what is tried again.
class streaming_model final : public chat_model {
   public:
    struct parts {
        http_opener open;
        random_source* random = nullptr;  ///< outlives the model
    };

    streaming_model(
        std::unique_ptr<const model_provider> provider, asking_limits limits, parts with
    )
        : provider_(std::move(provider)), limits_(limits), with_(std::move(with)) {}

    [[nodiscard]] awaitable<result<model_answer>> answer(
        model_request request, model_sink* sink, deadline until
    ) override;

    [[nodiscard]] std::string provider() const override { return std::string{provider_->word()}; }

   private:
    /// One request: how it ended, and whether another may be made.
    struct attempt {
        result<model_answer> answer;
        retry_advice advice = retry_advice::give_up;
        std::optional<milliseconds> retry_after{};
    };

    struct reading;

    [[nodiscard]] awaitable<attempt> ask_once(
        http_call call, call_ids ids, model_sink* sink, deadline until
    );
    [[nodiscard]] awaitable<attempt> read_refusal(http_reply_stream* reply, deadline until);
    [[nodiscard]] awaitable<attempt> read_answer(reading* from, model_sink* sink, deadline until);
    [[nodiscard]] awaitable<result<>> read_frames(reading* from, model_sink* sink, deadline until);
    [[nodiscard]] awaitable<result<>> give(reading* from, model_sink* sink);
    [[nodiscard]] attempt not_opened(error_code failure, deadline until, monotonic_time now) const;
    [[nodiscard]] attempt broken_off(
        const reading& from, error_code failure, deadline until, monotonic_time now
    ) const;
    void log_failure(const provider_error& said, std::int64_t status, std::string_view request)
        const;
    [[nodiscard]] std::string make_seed() const;

    const std::unique_ptr<const model_provider> provider_;
    const asking_limits limits_;
    const parts with_;
};

}  // namespace convene
