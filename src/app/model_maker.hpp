// SPDX-License-Identifier: Apache-2.0
// The models of registered agents, at the providers that this deployment or the agents name.
#pragma once

#include "convene/chat_model.hpp"
#include "convene/loop.hpp"

#include <memory>

#include "agent/registered_agent.hpp"
#include "base/config/configuration.hpp"
#include "net/http_client.hpp"

namespace convene {

/// The connections to providers are its own: however many answers hang, webhooks and hooks have theirs.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its models.
class model_maker {
   public:
    /// `settings` outlives it.
    model_maker(loop& where, const configuration& settings);

    /// What an agent leaves out is the deployment's. The deployment's key goes to the deployment's own URL and nowhere
    /// else. *Errors*: `invalid_argument`; the log says what of it.
    [[nodiscard]] result<std::shared_ptr<chat_model>> make(const wanted_model& wanted);

   private:
    const configuration& settings_;
    http_client http_;
};

}  // namespace convene
