// SPDX-License-Identifier: Apache-2.0
// A channel that does what a script says and remembers what it was given: for tests and
// demonstrations.
#pragma once

#include "convene/channel.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace convene {

/// What becomes of one attempt, after `after` has passed.
struct scripted_attempt {
    enum class ending : std::uint8_t { sent, failed_for_now, failed_for_good, hung, thrown };

    ending end = ending::sent;
    std::chrono::milliseconds after{0};
    std::optional<std::chrono::milliseconds> retry_after;  ///< the provider's wish, with
                                                           ///< `failed_for_now`

    [[nodiscard]] static scripted_attempt sends();
    [[nodiscard]] static scripted_attempt sends_after(std::chrono::milliseconds delay);
    [[nodiscard]] static scripted_attempt fails_for_now();
    [[nodiscard]] static scripted_attempt fails_for_good();
    [[nodiscard]] static scripted_attempt asks_to_wait(std::chrono::milliseconds retry_after);
    [[nodiscard]] static scripted_attempt hangs();  ///< until it is cancelled
    [[nodiscard]] static scripted_attempt throws();
};

struct scripted_channel_settings {
    channel_capabilities capabilities{content_type_set::all()};
    std::chrono::milliseconds attempt_deadline{5'000};
    bool is_bound_to_process = false;
};

/// A transport that follows a script, one entry for each attempt.
///
///     auto phone = std::make_shared<scripted_channel>(channel_id{"phone"});
///     phone->then(scripted_attempt::fails_for_now()).then(scripted_attempt::hangs());
///     // from the third attempt on everything is sent
class scripted_channel final : public transport_channel {
   public:
    explicit scripted_channel(channel_id id, scripted_channel_settings with = {});

    /// Appends to the script.
    scripted_channel& then(scripted_attempt next);

    /// What happens when the script has ended; at first everything is sent.
    scripted_channel& otherwise(scripted_attempt always);

    /// The attempts that were begun, oldest first; the last 10,000.
    [[nodiscard]] const std::deque<delivery_request>& attempts() const noexcept {
        return attempts_;
    }

    /// Those that were sent, in the order in which they ended.
    [[nodiscard]] const std::deque<delivery_request>& sent() const noexcept { return sent_; }

    [[nodiscard]] channel_id id() const override { return id_; }

    [[nodiscard]] std::string type() const override { return "scripted"; }

    [[nodiscard]] channel_capabilities capabilities() const override { return with_.capabilities; }

    [[nodiscard]] bool is_bound_to_process() const override { return with_.is_bound_to_process; }

    [[nodiscard]] std::chrono::milliseconds attempt_deadline() const override {
        return with_.attempt_deadline;
    }

    [[nodiscard]] awaitable<send_result> deliver(delivery_request request) override;

   private:
    [[nodiscard]] scripted_attempt next_attempt();

    // fixed after construction
    const channel_id id_;
    const scripted_channel_settings with_;

    // touched on the loop only
    std::deque<scripted_attempt> script_;
    scripted_attempt otherwise_;
    std::deque<delivery_request> attempts_;
    std::deque<delivery_request> sent_;
};

}  // namespace convene
