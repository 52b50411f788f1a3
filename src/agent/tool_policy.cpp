// SPDX-License-Identifier: Apache-2.0
// Tools that ask before they are called: a prompt can't talk them out of it.
#include "agent/tool_policy.hpp"

#include <utility>

namespace convene {

namespace {

class guarded_tool final : public tool {
   public:
    guarded_tool(std::shared_ptr<tool> guarded, std::shared_ptr<tool_policy> policy)
        : guarded_(std::move(guarded)), policy_(std::move(policy)) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        return guarded_->definition();
    }

    [[nodiscard]] std::chrono::milliseconds call_deadline() const override {
        return guarded_->call_deadline();
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text arguments, tool_context context)
        override {
        tool_call asked{context.call_key, definition().name, arguments};
        const auto decided = co_await policy_->decide(std::move(asked));
        if (!decided) {
            co_return decided.error();
        }
        if (!decided->refusal.empty()) {
            co_return tool_output{decided->refusal, true};
        }
        auto said = co_await guarded_->call(std::move(arguments), std::move(context));
        co_return said;
    }

   private:
    const std::shared_ptr<tool> guarded_;
    const std::shared_ptr<tool_policy> policy_;
};

}  // namespace

std::shared_ptr<tool> make_guarded_tool(
    std::shared_ptr<tool> guarded, std::shared_ptr<tool_policy> policy
) {
    return std::make_shared<guarded_tool>(std::move(guarded), std::move(policy));
}

}  // namespace convene
