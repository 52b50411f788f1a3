// SPDX-License-Identifier: Apache-2.0
// An agent that answers in rooms through a model and tools (A8, A9).
#pragma once

#include "convene/channel.hpp"
#include "convene/chat_model.hpp"
#include "convene/tool.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/answer_writer.hpp"
#include "agent/chat_window.hpp"
#include "agent/room_tools.hpp"
#include "agent/tool_loop_fsm.hpp"

namespace convene {

inline constexpr std::string_view model_agent_type = "agent";

/// Whether the room is a session: then its driver answers the question, in a turn of its own, and nothing is said here.
/// *Errors*: those of the store.
using driver_lookup = std::function<awaitable<result<bool>>(agent_request)>;

struct model_agent_settings {
    channel_id id;
    organization_id organization;  ///< empty: everybody's
    std::string model;             ///< the provider's name of it; empty: the client's own
    std::string instructions;
    std::int32_t max_output_tokens = 4'096;
    std::optional<double> temperature{};
    std::chrono::milliseconds deadline = std::chrono::minutes{5};  ///< of a whole answer
    tool_loop_limits limits{};
    chat_window_limits window{};
    answer_writer_settings writing{};
    std::vector<room_tool> room_tools{};

    /// Tools that are called only as an approval allows: in sessions, since elsewhere nobody can ask for one.
    std::vector<std::string> requires_approval{};
    std::vector<std::string> approvers{};  ///< as of `approval::deciders`
    channel_id streams_to{};               ///< see `agent_channel::streams_to`
    bool is_enabled = true;  ///< false: questions fail at once, with `channel_disabled`
};

/// *Thread safety*: loop only. *Lifetime*: `kit` outlives its answers; `model` is shared with whoever made it.
class model_agent final : public agent_channel {
   public:
    struct parts {
        room_kit* kit = nullptr;
        std::shared_ptr<chat_model> model;
        toolbox tools;  ///< besides the room's; none has a room tool's name

        /// Unset: no room is a session.
        driver_lookup leave_to_driver{};
    };

    model_agent(model_agent_settings settings, parts from);

    [[nodiscard]] channel_id id() const override { return settings_.id; }

    [[nodiscard]] std::string type() const override { return std::string{model_agent_type}; }

    [[nodiscard]] organization_id organization() const override { return settings_.organization; }

    [[nodiscard]] channel_capabilities capabilities() const override {
        return channel_capabilities{content_type_set::all()};
    }

    [[nodiscard]] channel_id streams_to() const override { return settings_.streams_to; }

    /// Later than the loop's own: it ends in order.
    [[nodiscard]] std::chrono::milliseconds answer_deadline() const override {
        return settings_.deadline + std::chrono::seconds{30};
    }

    [[nodiscard]] awaitable<agent_answer> answer(agent_request request, answer_sink* sink) override;

    [[nodiscard]] const model_agent_settings& settings() const noexcept { return settings_; }

    [[nodiscard]] const std::shared_ptr<chat_model>& model() const noexcept { return parts_.model; }

    [[nodiscard]] const toolbox& tools() const noexcept { return parts_.tools; }

   private:
    [[nodiscard]] toolbox tools_for(
        const std::shared_ptr<answer_notes>& notes, event_index first_shown
    ) const;

    const model_agent_settings settings_;
    const parts parts_;
};

}  // namespace convene
