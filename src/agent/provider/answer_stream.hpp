// SPDX-License-Identifier: Apache-2.0
// Reads an answer off a provider's stream: frames in, pieces out, no I/O. One class for each form of stream.
#pragma once

#include "convene/chat_model.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "agent/provider/answer_builder.hpp"
#include "agent/provider/provider_error.hpp"
#include "net/sse_frames.hpp"

namespace convene {

class answer_stream {
   public:
    virtual ~answer_stream() = default;
    answer_stream(const answer_stream&) = delete;
    answer_stream& operator=(const answer_stream&) = delete;

    /// The next frame. *Errors*: `corrupt_data` (no frame of this form), `payload_too_large`, and what the provider
    /// says, which `said()` then has. Nothing may be taken after an error.
    [[nodiscard]] virtual result<> take(const sse_frame& frame) = 0;

    /// The model has said all. There may be more frames, as of usage.
    [[nodiscard]] bool is_complete() const noexcept { return reason_.has_value(); }

    /// Nothing comes any more.
    [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

    [[nodiscard]] const std::optional<provider_error>& said() const noexcept { return said_; }

    [[nodiscard]] std::vector<model_piece> take_pieces() { return built_.take_pieces(); }

    /// The answer; the last pieces come with it. *Requires*: it is complete. *Errors*: `corrupt_data`.
    [[nodiscard]] result<model_answer> finish() { return built_.finish(*reason_, usage_); }

   protected:
    answer_stream(answer_limits limits, call_ids ids) : built_(limits, std::move(ids)) {}

    [[nodiscard]] result<> fail_as_said(std::string_view data) {
        said_ = error_of_frame(data);
        return said_->code;
    }

    answer_builder built_;
    token_usage usage_;
    std::optional<finish_reason> reason_;
    bool has_ended_ = false;

   private:
    std::optional<provider_error> said_;
};

}  // namespace convene
