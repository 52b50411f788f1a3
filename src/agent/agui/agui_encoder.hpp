// SPDX-License-Identifier: Apache-2.0
// The events of a run in the form of AG-UI 1.0, as a stream that is always well formed (A5, A7).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/agui/run_event.hpp"

namespace convene {

/// Encodes one run. Whatever order it is told things in: a group that was opened is closed before something that may not
/// stand inside it and before the end; nothing is empty that may not be; nothing follows the end.
///
/// A worker that takes a run over tells it what is stored (`decode_agui`), and goes on behind that.
class agui_encoder {
   public:
    /// What is to be sent for it, one JSON object each; nothing for what comes after the end.
    [[nodiscard]] std::vector<std::string> encode(const run_event& event);

    /// Takes what another worker said and stored, in order: all the frames of one event at a time.
    void take_stored(const run_event& event);

    /// Closes what is open: a message that the worker before did not end is all there will be of it.
    [[nodiscard]] std::vector<std::string> close_groups();

    [[nodiscard]] bool has_started() const noexcept { return has_started_; }

    [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

    /// Calls that were told of and have no result yet.
    [[nodiscard]] std::vector<std::string> calls_without_result() const;

   private:
    void write(const run_events::started& event);
    void write(const run_events::text& event);
    void write(const run_events::text_end& event);
    void write(const run_events::thinking& event);
    void write(const run_events::thinking_end& event);
    void write(const run_events::call_start& event);
    void write(const run_events::call_arguments& event);
    void write(const run_events::call_end& event);
    void write(const run_events::call_result& event);
    void write(const run_events::state_snapshot& event);
    void write(const run_events::state_delta& event);
    void write(const run_events::custom& event);
    void write(const run_events::finished& event);
    void write(const run_events::failed& event);

    void open_text(const std::string& message);
    void open_thinking(const std::string& message);
    void close_text();
    void close_thinking();
    void close_call(const std::string& call);
    void close_all();
    void add(std::string frame);

    bool has_started_ = false;
    bool has_ended_ = false;
    std::string thread_;
    std::string run_;
    std::string text_;                     ///< the message that is open; empty: none
    std::string thinking_;                 ///< the same
    std::vector<std::string> open_calls_;  ///< whose arguments are not complete, in order
    std::set<std::string> without_result_;
    std::vector<std::string> out_;
};

}  // namespace convene
