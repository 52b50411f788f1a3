// SPDX-License-Identifier: Apache-2.0
// The port to tools that an agent may call (A9).
#pragma once

#include "convene/awaitable.hpp"
#include "convene/chat.hpp"
#include "convene/event.hpp"
#include "convene/time.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// For whom and where a tool is called.
struct tool_context {
    organization_id organization;
    room_id room;
    channel_id agent;          ///< who calls
    std::string on_behalf_of;  ///< the participant whose question it serves; empty: nobody's
    std::string
        call_key;  ///< unique for this call, the same when it is looked up again: for receivers to tell repeats
};

/// What a tool says.
struct tool_output {
    std::string text;  ///< for the model
    bool is_error =
        false;  ///< it did not work, and the text says why: the model may try something else
};

/// Something a model can have done.
///
/// *Thread safety*: loop only; may be called several times at once. *Lifetime*: outlives its calls.
class tool {
   public:
    virtual ~tool() = default;

    [[nodiscard]] virtual const tool_definition& definition() const noexcept = 0;

    /// How long one call may take. Past it the call is cancelled, and its outcome is unknown.
    [[nodiscard]] virtual std::chrono::milliseconds call_deadline() const {
        return std::chrono::seconds{60};
    }

    /// Does it. `arguments` is an object that fits the definition's schema. *Cancellation*: honoured at any await;
    /// what was done stays done.
    [[nodiscard]] virtual awaitable<result<tool_output>> call(
        json_text arguments, tool_context context
    ) = 0;
};

class json_schema;

/// The tools of one agent, by name. A value: copies share the tools.
class toolbox {
   public:
    /// *Errors*: `already_exists`, `invalid_argument` (the name, or the schema: the log says what of it).
    [[nodiscard]] result<> add(std::shared_ptr<tool> one);

    /// Null for none.
    [[nodiscard]] std::shared_ptr<tool> find(std::string_view name) const;

    /// What of the arguments does not fit the tool's schema, as a sentence that a model can act on; nothing if they
    /// fit, or there is no such tool.
    [[nodiscard]] std::optional<std::string> find_misfit(
        std::string_view name, const json_text& arguments
    ) const;

    /// By name, ascending.
    [[nodiscard]] std::vector<tool_definition> definitions() const;

   private:
    struct entry {
        std::shared_ptr<tool> made;
        std::shared_ptr<const json_schema> parameters;
    };

    std::map<std::string, entry, std::less<>> tools_;
};

}  // namespace convene
