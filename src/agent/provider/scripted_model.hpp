// SPDX-License-Identifier: Apache-2.0
// `scripted_model`: a model that plays a script, for demonstrations and tests. No network.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/chat_model.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "agent/provider/answer_builder.hpp"
#include "agent/provider/model_script.hpp"
#include "agent/provider/script_player.hpp"

namespace convene {

/// The same conversation gets the same answer, in the same pieces: words, with the script's pace between them.
/// Nothing is tried again. Tokens are counted in words.
class scripted_model final : public chat_model {
   public:
    explicit scripted_model(model_script script) : script_(std::move(script)) {}

    [[nodiscard]] awaitable<result<model_answer>> answer(
        model_request request, model_sink* sink, deadline until
    ) override;

    [[nodiscard]] std::string provider() const override { return "scripted"; }

   private:
    struct playing;
    enum class voice : std::uint8_t { thinking, aloud };

    [[nodiscard]] awaitable<result<>> play(playing* on, played_step step);
    [[nodiscard]] awaitable<result<>> speak(playing* on, std::string text, voice how);
    [[nodiscard]] awaitable<result<>> call(playing* on, played_call what);
    [[nodiscard]] awaitable<result<>> give(playing* on);

    const model_script script_;
};

}  // namespace convene
