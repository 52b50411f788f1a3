// SPDX-License-Identifier: Apache-2.0
// An agent that answers by a script instead of a model: for tests, demonstrations and work without
// a network.
#pragma once

#include "convene/channel.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace convene {

/// A function that an answer calls in its course. An error ends the answer as failed, with the
/// error's word.
using agent_callback = std::function<awaitable<result<>>(agent_request)>;

/// The course of one answer, step by step. In texts, `{text}` stands for what the trigger says.
///
///     agent_script script;
///     script.segment("You said: ").wait(std::chrono::milliseconds{200}).segment("{text}.");
///
/// An answer with segments has been said when its steps end. What `say` gathers is the whole
/// answer; after segments it is the last of them.
class agent_script {
   public:
    /// Adds text to the whole answer.
    agent_script& say(std::string text);

    /// Commits a piece at once.
    agent_script& segment(std::string text);

    agent_script& wait(std::chrono::milliseconds span);

    /// Waits until the answer is cancelled.
    agent_script& hang();

    /// Throws.
    agent_script& fail_with_exception(std::string text);

    /// Ends the answer as failed, with this error code.
    agent_script& fail(std::string error_code);

    /// Calls a function: to send into rooms, or to bring the worker down in the middle of a stream.
    agent_script& call(agent_callback called);

    /// Leaves a task or an observation with the answer.
    agent_script& task(std::string title);
    agent_script& observe(std::string category, std::string text);

    /// Sets the reason the answer ends with; `stop` if none is set.
    agent_script& finish(std::string reason);

   private:
    friend class scripted_agent;

    struct saying {
        std::string text;
    };

    struct streaming {
        std::string text;
    };

    struct waiting {
        std::chrono::milliseconds span;
    };

    struct hanging {};

    struct throwing {
        std::string text;
    };

    struct failing {
        std::string error_code;
    };

    struct calling {
        agent_callback called;
    };

    struct leaving_task {
        std::string title;
    };

    struct observing {
        std::string category;
        std::string text;
    };

    struct finishing {
        std::string reason;
    };

    using step = std::variant<
        saying,
        streaming,
        waiting,
        hanging,
        throwing,
        failing,
        calling,
        leaving_task,
        observing,
        finishing>;

    std::vector<step> steps_;
};

struct scripted_agent_settings {
    std::chrono::milliseconds answer_deadline = std::chrono::hours{1};
    channel_id streams_to;  ///< see `agent_channel::streams_to`
};

/// Answers by its scripts: the first question by the first, and so on; the last one is used again.
class scripted_agent final : public agent_channel {
   public:
    /// *Requires*: at least one script.
    scripted_agent(
        channel_id id, std::vector<agent_script> scripts, scripted_agent_settings with = {}
    );

    /// The questions so far, oldest first; the last 1,000.
    [[nodiscard]] const std::deque<agent_request>& requests() const noexcept { return requests_; }

    [[nodiscard]] channel_id id() const override { return id_; }

    [[nodiscard]] std::string type() const override { return "scripted_agent"; }

    [[nodiscard]] channel_capabilities capabilities() const override {
        return channel_capabilities{content_type_set::all()};
    }

    [[nodiscard]] channel_id streams_to() const override { return with_.streams_to; }

    [[nodiscard]] std::chrono::milliseconds answer_deadline() const override {
        return with_.answer_deadline;
    }

    [[nodiscard]] awaitable<agent_answer> answer(agent_request request, answer_sink* sink) override;

   private:
    class performance;

    // fixed after construction
    const channel_id id_;
    const std::vector<agent_script> scripts_;
    const scripted_agent_settings with_;

    // touched on the loop only
    std::size_t answered_ = 0;
    std::deque<agent_request> requests_;
};

}  // namespace convene
