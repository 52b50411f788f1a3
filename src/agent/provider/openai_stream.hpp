// SPDX-License-Identifier: Apache-2.0
// The stream of OpenAI-compatible chat completions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "agent/provider/answer_stream.hpp"

namespace boost::json {
class value;
}

namespace convene {

/// Frames are chunks with one choice; `[DONE]` ends them, or the connection does once a finish reason came. Compatible
/// servers are read too where they differ: thoughts as `reasoning_content` or `reasoning`, calls without `index`, or
/// all with the same one, or without an id.
class openai_stream final : public answer_stream {
   public:
    openai_stream(answer_limits limits, call_ids ids) : answer_stream(limits, std::move(ids)) {}

    [[nodiscard]] result<> take(const sse_frame& frame) override;

   private:
    [[nodiscard]] result<> take_delta(const boost::json::value* delta);
    [[nodiscard]] result<> take_call(const boost::json::value* call);
    void take_usage(const boost::json::value* usage);

    struct known_call {
        std::size_t slot;
        std::string id;  ///< as the provider spells it; empty: it gave none
    };

    std::size_t calls_ = 0;
    std::map<std::int64_t, known_call> by_index_;
    std::optional<known_call> last_;
};

}  // namespace convene
