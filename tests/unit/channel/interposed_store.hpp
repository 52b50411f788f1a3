// SPDX-License-Identifier: Apache-2.0
// A store in front of another one that lets a test delay or refuse operations by their names.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "store/store.hpp"

namespace convene {

class interposed_store final : public conversation_store {
   public:
    /// May wait. An error is the operation's answer.
    using interposed = std::function<awaitable<result<>>(std::string operation)>;

    explicit interposed_store(conversation_store& behind) : behind_(behind) {}

    interposed before;  ///< with an error the operation is not applied
    interposed after;

    [[nodiscard]] awaitable<void> close() override { return behind_.close(); }

    [[nodiscard]] std::string name() const override { return behind_.name(); }

    [[nodiscard]] bool is_shared_between_processes() const noexcept override {
        return behind_.is_shared_between_processes();
    }

   protected:
    awaitable<result<>> execute(std::shared_ptr<operation> request) override {
        const std::string name = request->name();
        if (before) {
            const result<> allowed = co_await before(name);
            if (!allowed) {
                co_return allowed;
            }
        }
        const result<> executed = co_await (behind_.*reach::member)(std::move(request));
        if (!after || !executed) {
            co_return executed;
        }
        co_return co_await after(name);
    }

   private:
    /// Gives the protected member of another store a name that may be called.
    struct reach : conversation_store {
        static constexpr auto member = &reach::execute;
    };

    conversation_store& behind_;
};

}  // namespace convene
