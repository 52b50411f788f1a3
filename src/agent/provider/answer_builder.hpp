// SPDX-License-Identifier: Apache-2.0
// Puts an answer together from what a model says bit by bit, within limits, and gives it on as pieces.
#pragma once

#include "convene/chat_model.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/provider/text_mender.hpp"

namespace convene {

/// How much of an answer is taken.
struct answer_limits {
    std::size_t text_bytes = 256 * 1024;      ///< of what is said; the same of what is thought
    std::size_t argument_bytes = 128 * 1024;  ///< of one call; as JSON it may be six times as long
    std::size_t calls = 64;
    std::size_t frame_bytes = 1024 * 1024;  ///< of one frame of a stream
};

/// Ids for calls to which a model gives none, or one that is taken.
struct call_ids {
    std::string seed;             ///< new for every answer: made ids are `call_<seed>_<n>`
    std::set<std::string> taken;  ///< those of the conversation so far
};

/// The ids of the calls in a conversation.
[[nodiscard]] std::set<std::string> call_ids_of(const std::vector<chat_message>& messages);

/// Every text passes the text boundary here, and none of its pieces ends inside a character.
///
/// *Errors* of all that take text: `payload_too_large`.
class answer_builder {
   public:
    answer_builder(answer_limits limits, call_ids ids) : limits_(limits), ids_(std::move(ids)) {}

    [[nodiscard]] result<> think(std::string_view text);
    [[nodiscard]] result<> say(std::string_view text);

    /// The provider's seal of what was thought.
    void seal(std::string signature) { answer_.message.thinking_signature = std::move(signature); }

    /// A call, known by a number of the provider's. Its name may come later, in `name_call`.
    [[nodiscard]] result<> start_call(std::size_t slot, std::string_view id);
    void name_call(std::size_t slot, std::string_view name);
    [[nodiscard]] result<> add_arguments(std::size_t slot, std::string_view text);

    [[nodiscard]] bool has_call(std::size_t slot) const { return calls_.contains(slot); }

    [[nodiscard]] bool has_name(std::size_t slot) const;
    [[nodiscard]] bool has_arguments(std::size_t slot) const;

    /// What came since the last time.
    [[nodiscard]] std::vector<model_piece> take_pieces() { return std::exchange(pieces_, {}); }

    /// The end: calls are ended, except those that were cut off, which are in no answer either: arguments that are no
    /// object when the model had to stop, all when it refused. *Errors*: `corrupt_data` (a call without a name), `payload_too_large`.
    [[nodiscard]] result<model_answer> finish(finish_reason reason, token_usage usage);

   private:
    struct open_call {
        std::string id;
        std::string name;
        std::string arguments;
        text_mender mender{};
    };

    [[nodiscard]] std::string usable_id(std::string_view id);
    [[nodiscard]] result<> end_thought();
    [[nodiscard]] result<> end_text();
    [[nodiscard]] result<> give_thought(std::string text);
    [[nodiscard]] result<> give_text(std::string text);
    [[nodiscard]] result<> give_arguments(open_call& call, std::string text);
    [[nodiscard]] result<> end_call(open_call call, finish_reason reason);

    answer_limits limits_;
    call_ids ids_;
    std::size_t made_ids_ = 0;
    text_mender thoughts_;
    text_mender words_;
    std::map<std::size_t, open_call> calls_;  ///< by slot, which is their order
    std::vector<model_piece> pieces_;
    model_answer answer_;
};

}  // namespace convene
