// SPDX-License-Identifier: Apache-2.0
// The stream of Anthropic's Messages API.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/provider/answer_stream.hpp"
#include "agent/provider/thinking_seal.hpp"

namespace boost::json {
class value;
}

namespace convene {

/// A message that begins, its content in blocks with numbers, its stop reason, its end. Events and blocks of kinds
/// that are not known say nothing to us, as the API asks of its readers.
class anthropic_stream final : public answer_stream {
   public:
    anthropic_stream(answer_limits limits, call_ids ids)
        : answer_stream(limits, std::move(ids)), limits_(limits) {}

    [[nodiscard]] result<> take(const sse_frame& frame) override;

   private:
    enum class block_kind : std::uint8_t { text, thinking, call, other };

    struct block {
        block_kind kind = block_kind::other;
        std::size_t number = 0;  ///< of a call: its slot; of thinking: its place in `thoughts_`
        std::string whole_arguments{};  ///< given at the start, by servers that do not stream them
    };

    [[nodiscard]] result<> start_block(const boost::json::value& frame);
    [[nodiscard]] result<> start_call(std::int64_t index, const boost::json::value* content);
    [[nodiscard]] result<> take_delta(const boost::json::value& frame);
    [[nodiscard]] result<> stop_block(const boost::json::value& frame);
    [[nodiscard]] result<> start_thinking(std::int64_t index, const boost::json::value* content);
    [[nodiscard]] result<> add_thought(thinking_block& to, std::string_view text);
    void take_stop(const boost::json::value& frame);
    void take_usage(const boost::json::value* usage);

    answer_limits limits_;
    std::map<std::int64_t, block> blocks_;
    std::vector<thinking_block> thoughts_;
    std::size_t calls_ = 0;
    std::size_t sealed_bytes_ = 0;  ///< of signatures and of what is hidden
};

}  // namespace convene
