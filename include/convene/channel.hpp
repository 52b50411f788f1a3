// SPDX-License-Identifier: Apache-2.0
// The channel port: how events leave to people, and how agents answer.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/cause.hpp"
#include "convene/content.hpp"
#include "convene/delivery.hpp"
#include "convene/room.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace convene {

/// What a transport is asked to carry.
struct delivery_request {
    delivery_id id;  ///< the same for every attempt: receivers drop repeats by it
    std::int32_t attempt = 1;
    room_event event;  ///< content already fits the channel's capabilities
    convene::binding binding;
    std::optional<event_cause> cause{};  ///< for channels that carry one
};

/// What a transport answers.
struct send_result {
    enum class verdict : std::uint8_t { sent, failed };

    verdict what = verdict::sent;
    delivery_outcome outcome;
    std::optional<std::chrono::milliseconds> retry_after;  ///< the provider's wish

    [[nodiscard]] static send_result sent(std::string provider_message_id = {});
    [[nodiscard]] static send_result failed_for_good(std::string code, std::string message);
    [[nodiscard]] static send_result failed_for_now(std::string code, std::string message);
};

/// A piece of an answer while it is being made.
class answer_sink {
   public:
    virtual ~answer_sink() = default;

    /// Commits a segment as an event of its own and queues its delivery. Returns once it is committed.
    /// *Errors*: `room_closed`, `claim_lost` (somebody else answers now: stop), `cancelled`, store errors.
    [[nodiscard]] virtual awaitable<result<>> segment(content piece) = 0;

    /// Commits what became of a tool call, as `tool_call` content that is pending before the call and ended after it.
    /// It is no part of what is said: it asks no other agent, and the answer may still be a whole one. It is shown to
    /// `shown_to` and, in its history, to the agent itself. *Errors*: as `segment`.
    [[nodiscard]] virtual awaitable<result<>> record(content call, visibility shown_to) = 0;
};

/// What an agent is asked to answer.
struct agent_request {
    delivery_id id;  ///< the agent row; keys of stored answers derive from it
    organization_id organization;
    room_event trigger;
    convene::binding binding;         ///< the agent's own
    std::vector<room_event> history;  ///< up to the trigger, filtered as for any reader, ascending
    std::vector<room_event>
        made_calls;  ///< tool calls on record of the answer that was cut off, ascending
    std::vector<participant> participants;  ///< of the room
    bool is_regeneration = false;           ///< an earlier answer was cut off
};

/// The end of an answer. A whole answer is one event; a streamed one has its text in segments already.
struct agent_answer {
    std::optional<content> whole;  ///< left aside after segments, which are the answer then
    std::vector<room_task> tasks;
    std::vector<observation> observations;
    std::string finish_reason = "stop";  ///< `stop`, `interrupted`, `failed`, ...
    delivery_outcome outcome;            ///< with an error code: the row fails
};

/// Something that is attached to rooms by a binding. Registered under its id, in each process.
///
/// *Thread safety*: loop only. *Lifetime*: shared by the kit and whoever registered it, until both let go.
class channel {
   public:
    virtual ~channel() = default;

    [[nodiscard]] virtual channel_id id() const = 0;
    [[nodiscard]] virtual std::string type() const = 0;
    [[nodiscard]] virtual channel_kind kind() const = 0;

    /// Whose channel it is: no room of another organisation can use it. Empty: everybody's.
    [[nodiscard]] virtual organization_id organization() const { return {}; }

    [[nodiscard]] virtual channel_capabilities capabilities() const { return {}; }

    /// True if only this process can reach the other end (a socket, a callback): after its death the target is
    /// skipped instead of handed to another worker.
    [[nodiscard]] virtual bool is_bound_to_process() const { return false; }

    /// True if what the other end sends because of a delivery may come back with the delivery's cause: it then has a
    /// part of the cascade's budget, as an agent has.
    [[nodiscard]] virtual bool carries_causes() const { return false; }
};

/// Carries events to people.
class transport_channel : public channel {
   public:
    [[nodiscard]] channel_kind kind() const final { return channel_kind::transport; }

    /// How long one attempt may take. Past it the attempt is cancelled and counts as failed.
    [[nodiscard]] virtual std::chrono::milliseconds attempt_deadline() const {
        return std::chrono::seconds{5};
    }

    /// While false nothing is sent: deliveries fail at once, with `channel_disabled`.
    [[nodiscard]] virtual bool is_enabled() const { return true; }

    /// How often bindings without a policy of their own try again.
    [[nodiscard]] virtual retry_policy default_retry() const { return {}; }

    /// What bindings without a limit of their own get together, whatever their addresses.
    [[nodiscard]] virtual rate_limit shared_limit() const { return {}; }

    /// One attempt. *Cancellation*: honoured at any await; what was sent stays sent.
    [[nodiscard]] virtual awaitable<send_result> deliver(delivery_request request) = 0;
};

/// Thinks and answers.
class agent_channel : public channel {
   public:
    [[nodiscard]] channel_kind kind() const final { return channel_kind::intelligence; }

    /// Bounds a whole generation.
    [[nodiscard]] virtual std::chrono::milliseconds answer_deadline() const {
        return std::chrono::hours{1};
    }

    /// The transport a streamed answer is shown on while it is made: it does not get the segments again.
    [[nodiscard]] virtual channel_id streams_to() const { return {}; }

    /// Makes one answer, whole or in segments. *Cancellation*: honoured at any await.
    [[nodiscard]] virtual awaitable<agent_answer> answer(
        agent_request request, answer_sink* sink
    ) = 0;
};

}  // namespace convene
